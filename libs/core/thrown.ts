/** What is read of an error, wherever it was made: `instanceof Error` fails for errors of another realm. */
export interface ErrorLike {
  message: string;
  stack?: unknown;
  cause?: unknown;
  code?: unknown;
}

/** Whether something that was thrown has the shape of an error. */
export function isErrorLike(thrown: unknown): thrown is ErrorLike {
  return typeof thrown === 'object' && thrown !== null && 'message' in thrown && typeof thrown.message === 'string';
}

/** The message of an error, or what kind of thing was thrown instead of one. */
export function messageOf(thrown: unknown): string {
  return isErrorLike(thrown) ? thrown.message : `thrown: ${typeof thrown}`;
}
