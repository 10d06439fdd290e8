/** A write that the database did not take, and that is tried again. */
export class StuckWrite {
  /** Whether it was waited for in vain while the database answered others: it holds nobody up any more. */
  isAlone = false;
  private wake: () => void = () => undefined;
  private readonly onTried: (() => void)[] = [];

  /** Resolves after a time, or when somebody wants the next try now. */
  pause(milliseconds: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, milliseconds);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Has it tried now; resolves when it has been. */
  retry(): Promise<void> {
    const tried = new Promise<void>(resolve => this.onTried.push(resolve));
    this.wake();
    return tried;
  }

  /** It has been tried. */
  wasTried(): void {
    for (const tell of this.onTried.splice(0)) tell();
  }
}
