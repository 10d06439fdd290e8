/**
 * The outcome of some work, if it comes in time. Work that is late goes on, and its outcome is dropped.
 * @throws the error that `late` makes, after so many milliseconds
 */
export async function within<T>(
  milliseconds: number,
  work: Promise<T>,
  late: () => Error = () => new Error(`no answer within ${milliseconds} ms`),
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), milliseconds);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
