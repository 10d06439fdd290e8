import { Injectable } from '@nestjs/common';
import { AuditChainVerifier, type ChainReport, type Role, type ResealReport } from '#access';
import { SecretRewrapper, type RewrapReport } from '#secrets';
import type { Finding } from './doctor/check-up.js';
import { Doctor } from './doctor/doctor.js';
import { Installation, type FirstOrganization, type NewOrganization, type WantedFirst } from './installation.js';

/** What operators do from a command line, for the bundled one and for a host's own. No one signs in for these. */
@Injectable()
export class GovernanceOperations {
  constructor(
    private readonly installation: Installation,
    private readonly auditChain: AuditChainVerifier,
    private readonly secrets: SecretRewrapper,
    private readonly doctor: Doctor,
  ) {}

  /** Ids of all organizations, oldest first. */
  async organizationIds(): Promise<string[]> {
    return this.installation.organizationIds();
  }

  /** Makes an organization and its first admin token. */
  async createOrganization(name: string, options: { timeZone?: string } = {}): Promise<NewOrganization> {
    return this.installation.createOrganization(name, options);
  }

  /** Issues an access token, for a user if one is named. The token's text is returned only here. */
  async createToken(
    orgId: string,
    role: Role,
    name: string,
    options: { userId?: string | undefined; expiresInDays?: number | undefined } = {},
  ): Promise<string> {
    return this.installation.createToken(orgId, role, name, options);
  }

  /**
   * The organization that an installation begins with: made at the first boot, found at every later one, also when
   * replicas boot together. An `adminToken` replaces the one that was given at an earlier boot: that one is revoked, and
   * the tokens that it made end. A revoked one is not accepted again; `adminTokenProblem` then says so.
   */
  async ensureFirstOrganization(wanted: WantedFirst): Promise<FirstOrganization> {
    return this.installation.ensureFirstOrganization(wanted);
  }

  /**
   * The first admin token of an organization that has never had a token, for a host that shows it only once the app
   * listens; undefined where it has had one. Not shown again.
   */
  async makeFirstToken(orgId: string): Promise<string | undefined> {
    return this.installation.makeFirstToken(orgId);
  }

  /**
   * Checks the hash chain of an organization's audit log and the seal of its head. `expect` is a row that was kept
   * elsewhere, `seq:hash`: the log must still have it.
   */
  async verifyAudit(orgId: string, options: { expect?: string | undefined } = {}): Promise<ChainReport> {
    return this.auditChain.verify(orgId, options);
  }

  /**
   * Seals the head of an audit log as it stands: for a log of a version without seals, or whose key is lost. The log
   * records it. @throws ConflictError where the rows of the log do not hold
   */
  async sealAudit(orgId: string): Promise<void> {
    await this.auditChain.seal(orgId);
  }

  /**
   * Brings all stored secrets and the seals of all audit logs under the key that writes, so that older keys can be
   * removed. May be run at any time.
   */
  async rewrapSecrets(): Promise<RewrapReport & { audit_heads: ResealReport }> {
    return { ...(await this.secrets.rewrap()), audit_heads: await this.auditChain.heads.reseal() };
  }

  /**
   * Looks for what would keep the module from working, with a remedy for each finding. With what
   * {@link ensureFirstOrganization} is given at boot, it also names tokens of the operator that these settings do not name.
   */
  async checkUp(first?: { id?: string | undefined; adminToken?: string | undefined }): Promise<Finding[]> {
    return this.doctor.checkUp(first);
  }
}
