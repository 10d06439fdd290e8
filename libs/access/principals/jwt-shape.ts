const JWT_SHAPE = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$/;

/** Whether a credential has the three parts of a JWT. The third may be empty, in a JWT without signature. */
export function looksLikeJwt(credential: string): boolean {
  return JWT_SHAPE.test(credential);
}
