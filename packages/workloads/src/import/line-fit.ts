/** A straight line through points, least squares. */
export interface LineFit {
  readonly count: number;
  readonly slope: number;
  readonly intercept: number;
  /** Standard errors. */
  readonly slopeError: number;
  readonly interceptError: number;
  /** Standard deviation of x over its mean: without spread there is no slope. */
  readonly spread: number;
}

/** Points one after the other in constant memory (Welford). */
export class LineFitter {
  #n = 0;
  #meanX = 0;
  #meanY = 0;
  #xx = 0;
  #xy = 0;
  #yy = 0;

  add(x: number, y: number): void {
    this.#n++;
    const dx = x - this.#meanX;
    const dy = y - this.#meanY;
    this.#meanX += dx / this.#n;
    this.#meanY += dy / this.#n;
    this.#xx += dx * (x - this.#meanX);
    this.#xy += dx * (y - this.#meanY);
    this.#yy += dy * (y - this.#meanY);
  }

  /** Undefined with fewer than three points or without any spread of x. */
  fit(): LineFit | undefined {
    if (this.#n < 3 || this.#xx <= 0 || this.#meanX === 0) {
      return undefined;
    }
    const slope = this.#xy / this.#xx;
    const residual = Math.max(0, this.#yy - slope * this.#xy) / (this.#n - 2);
    const slopeError = Math.sqrt(residual / this.#xx);
    return {
      count: this.#n,
      slope,
      intercept: this.#meanY - slope * this.#meanX,
      slopeError,
      interceptError: Math.sqrt(residual * (1 / this.#n + this.#meanX ** 2 / this.#xx)),
      spread: Math.sqrt(this.#xx / this.#n) / this.#meanX,
    };
  }
}
