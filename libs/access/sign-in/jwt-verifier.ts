import { Inject, Injectable, Logger } from '@nestjs/common';
import { createRemoteJWKSet, decodeJwt, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { Clock, UnavailableError, messageOf } from '#core';
import { ACCESS_OPTIONS, type AccessOptions } from '../access.options.js';
import { checkProvider } from './check-provider.js';
import { readClaims } from './claims.js';
import type { IdentityProvider } from './identity-provider.js';
import { ROLE_SCOPES, type Scope } from '../principals/scopes.js';

/** Identity in a verified JWT. */
export interface JwtIdentity {
  orgId: string;
  issuer: string;
  subject: string;
  /** The claim `iat`, if there is one. */
  issuedAt: Date | undefined;
  name: string;
  /** UUID or e-mail address of the user, if the provider has verified it. */
  user?: string;
  /** Whether there is a UUID or an e-mail address that the provider has not verified. */
  hasUnprovenAddress: boolean;
  /** Whether accounts without a user are accepted. */
  acceptsUnknown: boolean;
  scopes: ReadonlySet<Scope>;
}

const DEFAULT_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
const CLOCK_TOLERANCE_SECONDS = 5;
/**
 * Minimum interval between downloads of the keys. Without it, requests with unknown key ids would each cause a
 * download.
 */
const KEYS_COOLDOWN_MS = 5000;
/** Verifies JWTs of the configured identity providers: signature by JWKS, issuer, audience, expiry and algorithm. */
@Injectable()
export class JwtVerifier {
  private readonly logger = new Logger('Governance');
  private readonly providers: Map<string, { provider: IdentityProvider; keys: JWTVerifyGetKey }>;

  constructor(
    @Inject(ACCESS_OPTIONS) options: AccessOptions,
    private readonly clock: Clock,
  ) {
    const providers = options.identityProviders ?? [];
    this.providers = new Map(
      providers.map(provider => {
        const url = checkProvider(provider);
        const keys = createRemoteJWKSet(url, { cooldownDuration: KEYS_COOLDOWN_MS });
        return [provider.issuer, { provider, keys }];
      }),
    );
  }

  /** The identity; null if the token is invalid. Throws only if the keys cannot be fetched. */
  async verify(token: string): Promise<JwtIdentity | null> {
    const known = this.providers.get(issuerOf(token) ?? '');
    if (!known) return null;
    const { provider, keys } = known;
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer: provider.issuer,
        audience: provider.audience,
        algorithms: [...(provider.algorithms ?? DEFAULT_ALGORITHMS)],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: this.clock.now(),
        requiredClaims: ['exp', 'sub'],
        ...(provider.tokenType === undefined ? {} : { typ: provider.tokenType }),
      });
      return identify(provider, payload);
    } catch (error) {
      if (isFaultOfToken(error)) return null;
      this.logger.error(
        `The signing keys of ${provider.issuer} cannot be fetched from ${provider.jwksUri}: ${messageOf(error)}`,
      );
      throw new UnavailableError('The signing keys of the identity provider cannot be fetched; try again shortly.');
    }
  }
}

/**
 * jose throws a plain Error for a response that is not 200 or not JSON. If there is no response, it throws errors of
 * various types.
 */
function isFaultOfToken(error: unknown): boolean {
  if (!(error instanceof errors.JOSEError)) return false;
  return ![errors.JOSEError.code, errors.JWKSTimeout.code, errors.JWKSInvalid.code].includes(error.code);
}

function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

function identify(provider: IdentityProvider, claims: JWTPayload): JwtIdentity | null {
  const { orgId, subject, issuedAt, name, user, hasUnprovenAddress, roles } = readClaims(provider, claims);
  if (orgId === undefined || subject === undefined || roles.length === 0) return null;
  return {
    orgId,
    issuer: provider.issuer,
    subject,
    issuedAt,
    name,
    ...(user === undefined ? {} : { user }),
    hasUnprovenAddress,
    acceptsUnknown: provider.unknownSubjects === 'accept',
    scopes: new Set(roles.flatMap(each => ROLE_SCOPES[each])),
  };
}
