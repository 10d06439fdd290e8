import { Injectable } from '@nestjs/common';
import { AuditChainVerifier, type ChainReport, type Role, type ResealReport, type SuspensionState } from '#access';
import { SecretRewrapper, type RewrapReport } from '#secrets';
import type { DeletionOrder, DeletionReport } from './deletion/organization-deletion.js';
import type { Finding } from './doctor/check-up.js';
import { Doctor } from './doctor/doctor.js';
import { OrganizationControl } from './organization-control.js';
import { Installation, type FirstOrganization, type NewOrganization, type WantedFirst } from './installation.js';

/** Operations for the command line, of the bundled app and of hosts. They require no credential. */
@Injectable()
export class GovernanceOperations {
  constructor(
    private readonly installation: Installation,
    private readonly auditChain: AuditChainVerifier,
    private readonly secrets: SecretRewrapper,
    private readonly doctor: Doctor,
    private readonly control: OrganizationControl,
  ) {}

  /** Ids of all organizations, oldest first. */
  async organizationIds(): Promise<string[]> {
    return this.installation.organizationIds();
  }

  /** Creates an organization and its first admin token. */
  async createOrganization(name: string, options: { timeZone?: string } = {}): Promise<NewOrganization> {
    return this.installation.createOrganization(name, options);
  }

  /**
   * Refuses all requests and decisions of an organization, on every replica within one second, and lets its background
   * work wait. Changes nothing if it is suspended already. `by` names the operator in its audit log.
   * @throws OrganizationNotFoundError
   */
  async suspendOrganization(
    orgId: string,
    { by = 'operator', reason }: { by?: string; reason?: string | undefined } = {},
  ): Promise<SuspensionState> {
    return this.control.suspend(orgId, by, reason ?? null);
  }

  /**
   * Ends a suspension. Background work continues. Changes nothing if the organization is active.
   * @throws OrganizationNotFoundError, ConflictError if its deletion has begun
   */
  async resumeOrganization(orgId: string, { by = 'operator' }: { by?: string } = {}): Promise<SuspensionState> {
    return this.control.resume(orgId, by);
  }

  /**
   * Exports an organization that has been suspended for a minute to a folder, then deletes all of its rows. Needs the role
   * that runs the migrations. After a crash, call it again with the same folder.
   * @throws OrganizationNotFoundError; ConflictError if the organization is not ready, or the SIEM lacks some of its records;
   *   no row is deleted then
   */
  async deleteOrganization(orgId: string, order: DeletionOrder): Promise<DeletionReport> {
    return this.control.delete(orgId, order);
  }

  /** Issues an access token, for a user if one is named. Only this call returns the token's text. */
  async createToken(
    orgId: string,
    role: Role,
    name: string,
    options: { userId?: string | undefined; expiresInDays?: number | undefined } = {},
  ): Promise<string> {
    return this.installation.createToken(orgId, role, name, options);
  }

  /**
   * Returns the first organization of an installation: creates it at the first boot and finds it later, also if
   * replicas boot together. A new `adminToken` replaces the one of an earlier boot: it revokes that token, and the
   * tokens created with it end. A revoked token is not accepted again; `adminTokenProblem` then says so.
   */
  async ensureFirstOrganization(wanted: WantedFirst): Promise<FirstOrganization> {
    return this.installation.ensureFirstOrganization(wanted);
  }

  /**
   * Creates the first admin token of an organization that never had a token, for a host that shows it only once it
   * listens. Undefined if the organization had one. The token is not shown again.
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
   * Seals the current head of an audit log, for a log from a version without seals or with a lost key. The log records
   * this.
   * @throws ConflictError if the rows of the log are not consistent
   */
  async sealAudit(orgId: string): Promise<void> {
    await this.auditChain.seal(orgId);
  }

  /**
   * Encrypts all stored secrets and the seals of all audit logs with the first key, so that older keys can be removed.
   * Can run at any time.
   */
  async rewrapSecrets(): Promise<RewrapReport & { audit_heads: ResealReport }> {
    return { ...(await this.secrets.rewrap()), audit_heads: await this.auditChain.heads.reseal() };
  }

  /**
   * Looks for problems of the installation, with a remedy for each finding. With the arguments of {@link
   * ensureFirstOrganization}, it also reports operator tokens that these settings do not name.
   */
  async checkUp(first?: { id?: string | undefined; adminToken?: string | undefined }): Promise<Finding[]> {
    return this.doctor.checkUp(first);
  }
}
