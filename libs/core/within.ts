/**
 * Returns the result of some work if it completes before the timeout. After the timeout, the work continues, but its
 * result is discarded.
 * @throws the error of `late` after the timeout in milliseconds
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
