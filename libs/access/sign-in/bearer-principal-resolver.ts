import { Injectable } from '@nestjs/common';
import type { HttpRequest } from '../request/http-request.js';
import { bearerCredentialOf } from './bearer-credential.js';
import { looksLikeJwt } from '../principals/jwt-shape.js';
import { JwtSignIns } from './jwt-sign-ins.js';
import { JwtVerifier } from './jwt-verifier.js';
import type { Principal } from '../principals/principal.js';
import { PrincipalResolver } from './principal-resolver.port.js';
import { TokenPrincipals } from './token-principals.js';

/**
 * Accepts access tokens, and JWTs of configured identity providers. Refuses credentials of suspended and inactive
 * users. Also refuses personal tokens that a suspended or inactive user created.
 */
@Injectable()
export class BearerPrincipalResolver extends PrincipalResolver {
  constructor(
    private readonly tokens: TokenPrincipals,
    private readonly jwts: JwtVerifier,
    private readonly jwtSignIns: JwtSignIns,
  ) {
    super();
  }

  async resolve(request: HttpRequest): Promise<Principal | null> {
    const credential = bearerCredentialOf(request);
    if (credential === null) return null;
    if (!looksLikeJwt(credential)) return this.tokens.ofCredential(credential, request);
    const identity = await this.jwts.verify(credential);
    return identity && this.jwtSignIns.of(identity, request);
  }
}
