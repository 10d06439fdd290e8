import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { newId, type SecretPlace } from '#core';
import { SecretVault } from '#secrets';
import { makeAuthority, newSerialNumber, type Signer } from '../certificates/index.js';
import { DeviceAuthority } from '../device-authority.entity.js';
import type { DeviceStep } from '../device-ledger.js';
import { certificateTerms, DEVICES_OPTIONS, type DevicesOptions } from '../devices.options.js';
import { wholeSeconds } from '../whole-seconds.js';

const DAY_MS = 24 * 3_600_000;
/** Validity of an authority: ten years. */
const AUTHORITY_DAYS = 3_652;
/** Tolerated clock skew of programs that verify certificates. */
const TOLERANCE_MS = 3_600_000;

/** An authority with its signing key. */
export interface SigningAuthority {
  readonly authority: DeviceAuthority;
  readonly signer: Signer;
}

/** The certificate authorities of organizations. A private key is stored encrypted and decrypted only to sign. */
@Injectable()
export class DeviceAuthorities {
  private readonly certificateMs: number;

  constructor(
    private readonly vault: SecretVault,
    @Inject(DEVICES_OPTIONS) options: DevicesOptions,
  ) {
    this.certificateMs = certificateTerms(options).certificateDays * DAY_MS;
  }

  /**
   * Returns the authority that signs certificates now. Creates an authority if there is none, if the newest one would
   * expire before the certificates that it signs, or if its key was lost. Runs within a change of devices, so that
   * concurrent calls cannot both create one.
   */
  async signing(step: DeviceStep): Promise<SigningAuthority> {
    const newest = await this.newest(step.em, step.orgId);
    if (newest && newest.notAfter.getTime() >= step.now.getTime() + this.certificateMs) {
      const signer = await this.signer(step.em, newest);
      if (signer) return { authority: newest, signer };
    }
    return this.make(step, (newest?.generation ?? 0) + 1);
  }

  /** The valid authorities, newest first. */
  async good(em: EntityManager, orgId: string, now: Date): Promise<DeviceAuthority[]> {
    return em.find(DeviceAuthority, { orgId, notAfter: { $gt: now } }, { orderBy: { generation: 'desc' } });
  }

  /** The signing key of an authority; undefined if the key was lost. */
  async signer(em: EntityManager, authority: DeviceAuthority): Promise<Signer | undefined> {
    const privateKey = await this.vault.get(em, placeOf(authority));
    if (privateKey === undefined) return undefined;
    return { certificate: authority.certificate, privateKey: Buffer.from(privateKey, 'base64') };
  }

  private async newest(em: EntityManager, orgId: string): Promise<DeviceAuthority | undefined> {
    const [newest] = await em.find(DeviceAuthority, { orgId }, { orderBy: { generation: 'desc' }, limit: 1 });
    return newest;
  }

  private async make(step: DeviceStep, generation: number): Promise<SigningAuthority> {
    const { em, orgId, now } = step;
    const notBefore = wholeSeconds(now.getTime() - TOLERANCE_MS);
    const notAfter = wholeSeconds(now.getTime() + AUTHORITY_DAYS * DAY_MS);
    const serialNumber = newSerialNumber();
    const signer = await makeAuthority(orgId, generation, { serialNumber, notBefore, notAfter });
    const authority = new DeviceAuthority();
    Object.assign(authority, { orgId, id: newId(now), generation, notBefore, notAfter, createdAt: now });
    Object.assign(authority, { list: null, listNumber: 0, listMadeAt: null, listIsCurrent: false });
    authority.certificate = signer.certificate;
    await this.vault.put(em, placeOf(authority), signer.privateKey.toString('base64'));
    em.persist(authority);
    step.note({
      action: 'device_authority.created',
      resourceType: 'device_authority',
      resourceId: authority.id,
      before: null,
      after: { generation, certificate_serial: serialNumber, expires_at: notAfter.toISOString() },
    });
    return { authority, signer };
  }
}

function placeOf({ orgId, id }: DeviceAuthority): SecretPlace {
  return { orgId, owner: 'device_authorities', ownerId: id, name: 'private_key' };
}
