import { Access, type HandleSink } from "@jbdlab/core-wasm";

/**
 * The accesses of one handle, gathered before its record is written (a record starts with its CPU
 * time, which depends on what the handle finds). Reused for every handle: nothing is allocated in
 * the steady state.
 */
export class Trail {
  length = 0;
  #kinds = new Uint8Array(128);
  #blocks = new Int32Array(128);

  clear(): void {
    this.length = 0;
  }

  /** jbd2_journal_get_write_access. */
  write(block: number): void {
    this.push(Access.Write, block);
  }

  push(kind: Access, block: number): void {
    const at = this.length;
    if (at === this.#blocks.length) {
      this.#grow();
    }
    this.#kinds[at] = kind;
    this.#blocks[at] = block;
    this.length = at + 1;
  }

  #grow(): void {
    const kinds = new Uint8Array(this.#kinds.length * 2);
    kinds.set(this.#kinds);
    const blocks = new Int32Array(this.#blocks.length * 2);
    blocks.set(this.#blocks);
    this.#kinds = kinds;
    this.#blocks = blocks;
  }

  /** Writes the accesses into the handle begun last. */
  replay(sink: HandleSink): void {
    for (let i = 0; i < this.length; i++) {
      sink.access(this.#kinds[i] as Access, this.#blocks[i]!);
    }
  }
}
