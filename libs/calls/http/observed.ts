import type { Observable } from 'rxjs';

/** The values of an observable, buffered until they are read. Unsubscribes at once when the reader stops. */
export function observed<T>(values: Observable<T>): AsyncIterable<T> {
  return { [Symbol.asyncIterator]: () => new ObservedValues(values) };
}

class ObservedValues<T> implements AsyncIterator<T> {
  private readonly waiting: T[] = [];
  private failure: { readonly error: unknown } | undefined;
  private isDone = false;
  private wake: () => void = () => undefined;
  private readonly stop: () => void;

  constructor(values: Observable<T>) {
    const subscription = values.subscribe({
      next: value => {
        this.waiting.push(value);
        this.wake();
      },
      error: (error: unknown) => {
        this.failure = { error };
        this.finish();
      },
      complete: () => this.finish(),
    });
    this.stop = () => subscription.unsubscribe();
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    while (this.waiting.length === 0 && !this.isDone) await new Promise<void>(done => (this.wake = done));
    const [value] = this.waiting.splice(0, 1);
    if (value !== undefined) return { done: false, value };
    if (this.failure) throw this.failure.error;
    return { done: true, value: undefined };
  }

  return(): Promise<IteratorResult<T, undefined>> {
    this.stop();
    this.finish();
    return Promise.resolve({ done: true, value: undefined });
  }

  private finish(): void {
    this.isDone = true;
    this.wake();
  }
}
