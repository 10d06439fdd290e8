import { Injectable, Logger } from '@nestjs/common';
import { OrganizationService, SuppliedTokens, TokenService, type Role } from '#access';
import { OrgDatabase, SCHEMA } from '#database';
import { othersFindings, REVOKED_REMEDY } from './doctor/operator-token.js';

/** An organization made by {@link GovernanceOperations.createOrganization}. */
export interface NewOrganization {
  orgId: string;
  /** Its first admin token; not shown again. */
  token: string;
}

/** What {@link GovernanceOperations.ensureFirstOrganization} found or made. */
export interface FirstOrganization {
  orgId: string;
  /** There only when a token was generated just now; not shown again. */
  newAdminToken?: string;
  /** Why the given admin token is not accepted, and what to do. The app can run without it. */
  adminTokenProblem?: string;
}

const REVOKED = `The value of GOVERNANCE_ADMIN_TOKEN was revoked or replaced by a newer one; ${REVOKED_REMEDY}`;

/** The organizations of an installation and the tokens that its operator makes. */
@Injectable()
export class Installation {
  private readonly logger = new Logger('Governance');

  constructor(
    private readonly database: OrgDatabase,
    private readonly organizations: OrganizationService,
    private readonly tokens: TokenService,
    private readonly supplied: SuppliedTokens,
  ) {}

  /** Ids of all organizations, oldest first. */
  async organizationIds(): Promise<string[]> {
    const rows = await this.database.global<{ id: string }>(`select id from ${SCHEMA}.organization_ids() as id`);
    return rows.map(row => row.id);
  }

  /** Makes an organization and its first admin token. */
  async createOrganization(name: string, options: { timeZone?: string }): Promise<NewOrganization> {
    const { id } = await this.organizations.create(name, options);
    return { orgId: id, token: await this.createToken(id, 'admin', 'first admin token') };
  }

  /** Makes an access token. @throws OrganizationNotFoundError; BadRequestError where the user is none of it */
  async createToken(
    orgId: string,
    role: Role,
    name: string,
    { userId, expiresInDays }: { userId?: string | undefined; expiresInDays?: number | undefined } = {},
  ): Promise<string> {
    await this.organizations.get(orgId);
    const { token } = await this.tokens.issue(orgId, {
      name,
      role,
      ...(userId === undefined ? {} : { userId: userId.toLowerCase() }),
      ...(expiresInDays === undefined ? {} : { expiresInDays }),
    });
    return token;
  }

  /** Makes the first organization, or finds it. Replicas that boot together agree on one. */
  async ensureFirstOrganization(wanted: {
    id?: string | undefined;
    adminToken?: string | undefined;
  }): Promise<FirstOrganization> {
    // Replicas that boot together without a wanted id must agree on one.
    const { organization, created } = await this.database.exclusively('first organization', async () => {
      const id = wanted.id ?? (await this.organizationIds())[0];
      return this.organizations.ensure('My organization', id === undefined ? {} : { id });
    });
    const first = await this.firstToken(organization.id, created, wanted.adminToken);
    await this.warnOfOthers(wanted.adminToken);
    return first;
  }

  private async firstToken(
    orgId: string,
    created: boolean,
    adminToken: string | undefined,
  ): Promise<FirstOrganization> {
    if (adminToken !== undefined) return this.supplyAdminToken(orgId, adminToken);
    if (!created) return { orgId };
    return { orgId, newAdminToken: await this.createToken(orgId, 'admin', 'first admin token') };
  }

  /** Another organization in the settings, or no token any more, leaves the token before as it was. */
  private async warnOfOthers(adminToken: string | undefined): Promise<void> {
    for (const { seen, remedy } of othersFindings(await this.supplied.besides(adminToken))) {
      this.logger.warn(`Operator's token: ${seen}. ${remedy ?? ''}`);
    }
  }

  private async supplyAdminToken(orgId: string, secret: string): Promise<FirstOrganization> {
    const { state, ended } = await this.supplied.ensure(orgId, secret, { name: 'operator token', role: 'admin' });
    if (ended > 0) this.logger.warn(`The operator's token was replaced, and ${ended} tokens that it made have ended.`);
    if (state !== 'revoked') return { orgId };
    this.logger.warn(REVOKED);
    return { orgId, adminTokenProblem: REVOKED };
  }
}
