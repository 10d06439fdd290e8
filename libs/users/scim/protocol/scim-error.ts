/** The detail words of RFC 7644, section 3.12, that this server uses. */
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
 * A request that SCIM has a word for refusing. The message is one sentence for the administrator who reads the log of
 * the identity provider.
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

/** The resource is no longer the version that the caller has seen (`If-Match`). */
export class VersionChangedError extends Error {
  override readonly name = 'VersionChangedError';

  constructor() {
    super('The resource has changed since the version in If-Match; read it again.');
  }
}

/** An optional part of the protocol that this server leaves out, as its ServiceProviderConfig says. */
export class NotImplementedError extends Error {
  override readonly name = 'NotImplementedError';
}
