import { Injectable } from '@nestjs/common';
import { AuditChainVerifier, type ChainReport, type Role, type ResealReport, type SuspensionState } from '#access';
import { SecretRewrapper, type RewrapReport } from '#secrets';
import type { DeletionOrder, DeletionReport } from './deletion/organization-deletion.js';
import type { Finding } from './doctor/check-up.js';
import { Doctor } from './doctor/doctor.js';
import { OrganizationControl } from './organization-control.js';
import { Installation, type FirstOrganization, type NewOrganization, type WantedFirst } from './installation.js';

/** Operations for the command line of the bundled app and of hosts. They require no credential. */
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
   * Suspends an organization. Within one second, every replica refuses all its requests and decisions, and its
   * background work waits. Changes nothing if the organization is already suspended. `by` is the name of the operator
   * in the audit log.
   * @throws OrganizationNotFoundError
   */
  async suspendOrganization(
    orgId: string,
    { by = 'operator', reason }: { by?: string; reason?: string | undefined } = {},
  ): Promise<SuspensionState> {
    return this.control.suspend(orgId, by, reason ?? null);
  }

  /**
   * Resumes a suspended organization. Its background work continues. Changes nothing if the organization is active.
   * @throws OrganizationNotFoundError, ConflictError if its deletion has begun
   */
  async resumeOrganization(orgId: string, { by = 'operator' }: { by?: string } = {}): Promise<SuspensionState> {
    return this.control.resume(orgId, by);
  }

  /**
   * Exports an organization to a folder, then deletes all of its rows. The organization must have been suspended for at
   * least a minute. Needs the role that runs the migrations. After a crash, call it again with the same folder.
   * @throws OrganizationNotFoundError; ConflictError if the organization is not ready, or the SIEM has not received all
   * of its records. In these cases no row is deleted
   */
  async deleteOrganization(orgId: string, order: DeletionOrder): Promise<DeletionReport> {
    return this.control.delete(orgId, order);
  }

  /**
   * Creates an access token. With `userId`, the token belongs to that user. Only this result contains the text of the
   * token.
   */
  async createToken(
    orgId: string,
    role: Role,
    name: string,
    options: { userId?: string | undefined; expiresInDays?: number | undefined } = {},
  ): Promise<string> {
    return this.installation.createToken(orgId, role, name, options);
  }

  /**
   * Returns the first organization of an installation. Creates it at the first boot and finds it later, also if
   * replicas boot at the same time. A new `adminToken` replaces the token of an earlier boot: the earlier token is
   * revoked, together with the tokens that it created. A revoked token is not accepted again; `adminTokenProblem` then
   * contains the reason.
   */
  async ensureFirstOrganization(wanted: WantedFirst): Promise<FirstOrganization> {
    return this.installation.ensureFirstOrganization(wanted);
  }

  /**
   * Creates the first admin token of an organization that never had a token. For a host that shows the token only after
   * it has started to listen. Undefined if the organization already had a token. Only this result contains the token.
   */
  async makeFirstToken(orgId: string): Promise<string | undefined> {
    return this.installation.makeFirstToken(orgId);
  }

  /**
   * Checks the hash chain of an organization's audit log and the seal of its head. `expect` is an anchor, `seq:hash`: a
   * row that was stored elsewhere, and that the log must still contain.
   */
  async verifyAudit(orgId: string, options: { expect?: string | undefined } = {}): Promise<ChainReport> {
    return this.auditChain.verify(orgId, options);
  }

  /**
   * Seals the current head of an audit log. Use it for a log from a version without seals, or if the key of the seal is
   * lost. The log records this.
   * @throws ConflictError if the rows of the log are not consistent
   */
  async sealAudit(orgId: string): Promise<void> {
    await this.auditChain.seal(orgId);
  }

  /**
   * Encrypts all stored secrets with the first key, and renews the seals of all audit logs with it, so that older keys
   * can be removed. Can run at any time.
   */
  async rewrapSecrets(): Promise<RewrapReport & { audit_heads: ResealReport }> {
    return { ...(await this.secrets.rewrap()), audit_heads: await this.auditChain.heads.reseal() };
  }

  /**
   * Looks for problems of the installation, and returns a remedy for each. With the arguments of {@link
   * ensureFirstOrganization}, it also reports operator tokens that these arguments do not contain.
   */
  async checkUp(first?: { id?: string | undefined; adminToken?: string | undefined }): Promise<Finding[]> {
    return this.doctor.checkUp(first);
  }
}
