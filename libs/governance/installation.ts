import { Injectable, Logger } from '@nestjs/common';
import { OrganizationService, SuppliedTokens, TokenService, type Role } from '#access';
import { defined } from '#core';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';
import { othersFindings, REVOKED_REMEDY } from './doctor/operator-token.js';

/** An organization made by {@link GovernanceOperations.createOrganization}. */
export interface NewOrganization {
  orgId: string;
  /** The organization's first admin token. It is not shown again. */
  token: string;
}

/** Result of {@link GovernanceOperations.ensureFirstOrganization}. */
export interface FirstOrganization {
  orgId: string;
  /** Set only if this call generated the token. The token is not shown again. */
  newAdminToken?: string;
  /** Why the given admin token is not accepted, and how to correct this. The app can run without the token. */
  adminTokenProblem?: string;
}

/** Arguments of {@link GovernanceOperations.ensureFirstOrganization}. */
export interface WantedFirst {
  id?: string | undefined;
  adminToken?: string | undefined;
  /** If true, no admin token is created now. Call {@link GovernanceOperations.makeFirstToken} later. */
  deferToken?: boolean;
}

const FIRST_TOKEN = 'first admin token';
const ANY_TOKEN = `select from ${SCHEMA}.access_tokens where org_id = $1 limit 1`;
const NAMED_MAX = 20;

const REVOKED = `The value of GOVERNANCE_ADMIN_TOKEN was revoked or replaced by a newer one; ${REVOKED_REMEDY}`;

/** Creates and finds the organizations of an installation, and the operator's tokens. */
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

  /** Creates an organization and its first admin token. */
  async createOrganization(name: string, options: { timeZone?: string }): Promise<NewOrganization> {
    const { id } = await this.organizations.create(name, options);
    return { orgId: id, token: await this.createToken(id, 'admin', FIRST_TOKEN) };
  }

  /**
   * Creates an access token.
   * @throws OrganizationNotFoundError; BadRequestError if the user does not belong to the organization
   */
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
      ...defined({ userId: userId?.toLowerCase(), expiresInDays }),
    });
    return token;
  }

  /** Creates or finds the first organization. Replicas that boot at the same time get the same organization. */
  async ensureFirstOrganization(wanted: WantedFirst): Promise<FirstOrganization> {
    // Without a given id, replicas that boot at the same time must not each create an organization.
    const { organization, created, others } = await this.database.exclusively('first organization', async () => {
      const ids = await this.organizationIds();
      const id = wanted.id ?? ids[0];
      return { others: ids, ...(await this.organizations.ensure('My organization', id === undefined ? {} : { id })) };
    });
    if (created && others.length > 0) await this.warnOfNewOrganization(organization.id, others);
    const first = await this.firstToken(organization.id, created, wanted);
    await this.warnOfOthers(wanted.adminToken);
    return first;
  }

  /**
   * Creates the first admin token of an organization that never had a token; undefined if the organization already had
   * one.
   */
  async makeFirstToken(orgId: string): Promise<string | undefined> {
    return this.database.exclusively(`first token ${orgId}`, async () => {
      const rows = await this.database.transaction(orgId, em => sqlOf(em).query(ANY_TOKEN, [orgId]));
      return rows.length > 0 ? undefined : this.createToken(orgId, 'admin', FIRST_TOKEN);
    });
  }

  private async firstToken(orgId: string, created: boolean, wanted: WantedFirst): Promise<FirstOrganization> {
    if (wanted.adminToken !== undefined) return this.supplyAdminToken(orgId, wanted.adminToken);
    if (!created || wanted.deferToken === true) return { orgId };
    return { orgId, newAdminToken: await this.createToken(orgId, 'admin', FIRST_TOKEN) };
  }

  /** Logs a warning, because a typing error in the setting also creates a new, empty organization. */
  private async warnOfNewOrganization(orgId: string, others: readonly string[]): Promise<void> {
    const named = await Promise.all(
      others.slice(0, NAMED_MAX).map(async id => `${id} "${(await this.organizations.get(id)).name}"`),
    );
    const more = others.length > NAMED_MAX ? `, and ${others.length - NAMED_MAX} more` : '';
    this.logger.warn(
      `GOVERNANCE_ORG_ID named no organization, so ${orgId} was made and is empty. Others are: ${named.join(', ')}${more}. ` +
        'Was one of them meant? Then correct the setting and start again.',
    );
  }

  /** If the settings name another organization or no token, earlier tokens stay valid. Logs a warning about them. */
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
