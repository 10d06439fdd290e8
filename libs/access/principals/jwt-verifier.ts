import { Inject, Injectable, Logger } from '@nestjs/common';
import { createRemoteJWKSet, decodeJwt, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { Clock, isUuid, UnavailableError } from '#core';
import { ACCESS_OPTIONS, type AccessOptions } from '../access.options.js';
import type { IdentityProvider } from './identity-provider.js';
import { ROLE_SCOPES, ROLES, type Role, type Scope } from './scopes.js';

/** What a verified JWT says about its bearer. */
export interface JwtIdentity {
  orgId: string;
  subject: string;
  name: string;
  /** E-mail address or UUID of the user, as the provider knows them. */
  user?: string;
  scopes: ReadonlySet<Scope>;
}

const DEFAULT_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
const CLOCK_TOLERANCE_SECONDS = 5;
const JWT_SHAPE = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/** Whether a bearer credential has the three parts of a signed JWT. */
export function looksLikeJwt(credential: string): boolean {
  return JWT_SHAPE.test(credential);
}

/** Checks JWTs of the configured identity providers: signature by JWKS, issuer, audience, expiry and algorithm. */
@Injectable()
export class JwtVerifier {
  private readonly logger = new Logger('Governance');
  private readonly providers: Map<string, { provider: IdentityProvider; keys: JWTVerifyGetKey }>;

  constructor(
    @Inject(ACCESS_OPTIONS) options: AccessOptions,
    private readonly clock: Clock,
  ) {
    this.providers = new Map(
      (options.identityProviders ?? []).map(provider => {
        refuseWeakAlgorithms(provider);
        return [provider.issuer, { provider, keys: createRemoteJWKSet(new URL(provider.jwksUri)) }];
      }),
    );
  }

  /** The bearer, or null where anything about the token is wrong. Throws only when the keys cannot be fetched. */
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
      });
      return identify(provider, payload);
    } catch (error) {
      if (error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout)) return null;
      this.logger.error(`The signing keys of ${provider.issuer} cannot be fetched from ${provider.jwksUri}`);
      throw new UnavailableError('The signing keys of the identity provider cannot be fetched; try again shortly.');
    }
  }
}

function refuseWeakAlgorithms(provider: IdentityProvider): void {
  const weak = provider.algorithms?.find(name => name === 'none' || name.startsWith('HS'));
  if (weak) {
    throw new Error(
      `identityProviders: ${provider.issuer} lists the algorithm ${weak}; list asymmetric ones only, such as RS256 or ES256`,
    );
  }
}

function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

function identify(provider: IdentityProvider, claims: JWTPayload): JwtIdentity | null {
  const orgId = provider.organizationId ?? claims[provider.claims?.organization ?? 'org_id'];
  const user = claims[provider.claims?.user ?? 'email'];
  const role = claims[provider.claims?.role ?? 'role'];
  if (!isUuid(orgId) || claims.sub === undefined) return null;
  const roles = (Array.isArray(role) ? role : [role]).flatMap(name => translate(provider, name));
  if (roles.length === 0) return null;
  return {
    orgId: orgId.toLowerCase(),
    subject: claims.sub,
    name: typeof claims['name'] === 'string' ? claims['name'] : claims.sub,
    ...(typeof user === 'string' ? { user } : {}),
    scopes: new Set(roles.flatMap(name => ROLE_SCOPES[name])),
  };
}

function translate(provider: IdentityProvider, name: unknown): Role[] {
  if (typeof name !== 'string') return [];
  if (provider.roles) return Object.hasOwn(provider.roles, name) ? [provider.roles[name]].filter(isDefined) : [];
  return ROLES.filter(role => role === name);
}

function isDefined<T>(value: T | undefined): value is T {
  return value !== undefined;
}
