interface Node<T> {
  readonly item: T;
  next: Node<T>;
  prev: Node<T>;
}

/** A circular list with a head, as jbd2 keeps its buffers: every step takes constant time. */
export class Ring<T> {
  readonly #nodes = new Map<T, Node<T>>();
  #head: Node<T> | undefined;

  get size(): number {
    return this.#nodes.size;
  }
  get first(): T | undefined {
    return this.#head?.item;
  }
  get last(): T | undefined {
    return this.#head?.prev.item;
  }
  has(item: T): boolean {
    return this.#nodes.has(item);
  }
  /** The item after this one; the last is followed by the first. */
  after(item: T): T | undefined {
    return this.#nodes.get(item)?.next.item;
  }
  addLast(item: T): void {
    const head = this.#head;
    const node = { item } as Node<T>;
    node.next = head ?? node;
    node.prev = head?.prev ?? node;
    node.prev.next = node;
    node.next.prev = node;
    this.#head ??= node;
    this.#nodes.set(item, node);
  }
  addFirst(item: T): void {
    this.addLast(item);
    this.#head = this.#nodes.get(item);
  }
  remove(item: T): void {
    const node = this.#nodes.get(item);
    if (node === undefined) return;
    this.#nodes.delete(item);
    node.prev.next = node.next;
    node.next.prev = node.prev;
    if (this.#head === node) this.#head = node.next === node ? undefined : node.next;
  }
  /** The head goes to the end. */
  rotate(): void {
    this.#head = this.#head?.next;
  }
  /** From the head once round; the item at hand may be removed. */
  *[Symbol.iterator](): Generator<T> {
    const last = this.#head?.prev;
    let node = this.#head;
    while (node !== undefined) {
      const { next } = node;
      yield node.item;
      node = node === last ? undefined : next;
    }
  }
}
