import { Injectable } from '@nestjs/common';
import { AuditChainVerifier, type ChainReport, OrganizationService, TokenService, type Role } from '#access';
import { OrgDatabase, SCHEMA } from '#database';
import { SecretRewrapper, type RewrapReport } from '#secrets';
import { checkUp, type Finding } from './doctor/check-up.js';

/** An organization made by {@link GovernanceOperations.createOrganization}. */
export interface NewOrganization {
  orgId: string;
  /** Its first admin token; not shown again. */
  token: string;
}

/** What operators do from a command line, for the bundled one and for a host's own. No one signs in for these. */
@Injectable()
export class GovernanceOperations {
  constructor(
    private readonly database: OrgDatabase,
    private readonly organizations: OrganizationService,
    private readonly tokens: TokenService,
    private readonly auditChain: AuditChainVerifier,
    private readonly secrets: SecretRewrapper,
  ) {}

  /** Ids of all organizations, oldest first. */
  async organizationIds(): Promise<string[]> {
    const rows = await this.database.global<{ id: string }>(`select id from ${SCHEMA}.organization_ids() as id`);
    return rows.map(row => row.id);
  }

  /** Makes an organization and its first admin token. */
  async createOrganization(name: string, options: { timeZone?: string } = {}): Promise<NewOrganization> {
    const { id } = await this.organizations.create(name, options);
    return { orgId: id, token: await this.createToken(id, 'admin', 'first admin token') };
  }

  /** Makes an access token; the text is not shown again. */
  async createToken(orgId: string, role: Role, name: string, expiresInDays?: number): Promise<string> {
    await this.organizations.get(orgId);
    const { token } = await this.tokens.issue(orgId, {
      name,
      role,
      ...(expiresInDays === undefined ? {} : { expiresInDays }),
    });
    return token;
  }

  /**
   * The organization that an installation begins with: made at the first boot, found at every later one, also when
   * replicas boot together. `newAdminToken` is there only when a token was generated just now.
   */
  async ensureFirstOrganization(wanted: {
    id?: string | undefined;
    adminToken?: string | undefined;
  }): Promise<{ orgId: string; newAdminToken?: string }> {
    // Replicas that boot together without a wanted id must agree on one.
    const { organization, created } = await this.database.exclusively('first organization', async () => {
      const id = wanted.id ?? (await this.organizationIds())[0];
      return this.organizations.ensure('My organization', id === undefined ? {} : { id });
    });
    if (wanted.adminToken !== undefined) {
      await this.tokens.ensureSecret(organization.id, wanted.adminToken, { name: 'operator token', role: 'admin' });
      return { orgId: organization.id };
    }
    if (!created) return { orgId: organization.id };
    return {
      orgId: organization.id,
      newAdminToken: await this.createToken(organization.id, 'admin', 'first admin token'),
    };
  }

  /** Checks the hash chain of an organization's audit log. */
  async verifyAudit(orgId: string): Promise<ChainReport> {
    return this.auditChain.verify(orgId);
  }

  /** Brings all stored secrets under the key that writes, so that older keys can be removed. May be run at any time. */
  async rewrapSecrets(): Promise<RewrapReport> {
    return this.secrets.rewrap();
  }

  /** Looks for what would keep the module from working, with a remedy for each finding. */
  async checkUp(): Promise<Finding[]> {
    return checkUp(this.database, this.secrets.keys);
  }
}
