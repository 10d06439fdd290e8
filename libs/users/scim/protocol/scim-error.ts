/** The `scimType` values of RFC 7644, section 3.12, that this server uses. */
export type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'tooMany'
  | 'uniqueness';

/**
 * An error with a SCIM error type. The message is one sentence for the administrator who reads the log of the identity
 * provider.
 */
export class ScimError extends Error {
  override readonly name = 'ScimError';

  constructor(
    readonly scimType: ScimType,
    message: string,
  ) {
    super(message);
  }
}

/** The resource has another version than the one that the caller requires (`If-Match`). */
export class VersionChangedError extends Error {
  override readonly name = 'VersionChangedError';

  constructor() {
    super('The resource has changed since the version in If-Match; read it again.');
  }
}

/**
 * The request uses an optional feature of the protocol that this server does not support. The ServiceProviderConfig
 * states this.
 */
export class NotImplementedError extends Error {
  override readonly name = 'NotImplementedError';
}
