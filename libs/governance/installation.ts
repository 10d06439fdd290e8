import { Injectable } from '@nestjs/common';
import { OrganizationService, TokenService, type Role } from '#access';
import { OrgDatabase, SCHEMA } from '#database';

/** An organization made by {@link GovernanceOperations.createOrganization}. */
export interface NewOrganization {
  orgId: string;
  /** Its first admin token; not shown again. */
  token: string;
}

/** The organizations of an installation and the tokens that its operator makes. */
@Injectable()
export class Installation {
  constructor(
    private readonly database: OrgDatabase,
    private readonly organizations: OrganizationService,
    private readonly tokens: TokenService,
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

  /** Makes an access token. @throws OrganizationNotFoundError */
  async createToken(orgId: string, role: Role, name: string, expiresInDays?: number): Promise<string> {
    await this.organizations.get(orgId);
    const { token } = await this.tokens.issue(orgId, {
      name,
      role,
      ...(expiresInDays === undefined ? {} : { expiresInDays }),
    });
    return token;
  }

  /** Makes the first organization, or finds it. Replicas that boot together agree on one. */
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
}
