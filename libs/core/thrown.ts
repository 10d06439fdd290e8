/** The fields of an error of any realm. `instanceof Error` is false for errors of another realm. */
export interface ErrorLike {
  message: string;
  stack?: unknown;
  cause?: unknown;
  code?: unknown;
}

/** Whether a thrown value has the shape of an error. */
export function isErrorLike(thrown: unknown): thrown is ErrorLike {
  return typeof thrown === 'object' && thrown !== null && 'message' in thrown && typeof thrown.message === 'string';
}

/** The message of an error, or the type of any other thrown value. */
export function messageOf(thrown: unknown): string {
  return isErrorLike(thrown) ? thrown.message : `thrown: ${typeof thrown}`;
}
