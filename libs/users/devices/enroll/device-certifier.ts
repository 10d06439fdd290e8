import { Inject, Injectable } from '@nestjs/common';
import { BadRequestError } from '#core';
import { DeviceAuthorities } from '../authority/device-authorities.js';
import {
  derOfRequest,
  issueCertificate,
  newSerialNumber,
  readCertificateRequest,
  type RequestedKey,
} from '../certificates/index.js';
import { CLOCK_TOLERANCE_MS } from '../clock-tolerance.js';
import type { DeviceAuthority } from '../device-authority.entity.js';
import { DeviceCertificate } from '../device-certificate.entity.js';
import type { Device } from '../device.entity.js';
import { assertKeyIsFree } from '../device-keys.js';
import type { DeviceStep } from '../device-ledger.js';
import { certificateTerms, DEVICES_OPTIONS, type DevicesOptions } from '../devices.options.js';
import { wholeSeconds } from '../whole-seconds.js';

const DAY_MS = 24 * 3_600_000;

/** A device with its newly issued certificate. */
export interface DeviceWithCertificate {
  readonly device: Device;
  readonly certificate: DeviceCertificate;
  readonly authority: DeviceAuthority;
}

/** Issues certificates for the keys of devices. */
@Injectable()
export class DeviceCertifier {
  private readonly options: ReturnType<typeof certificateTerms>;

  constructor(
    private readonly authorities: DeviceAuthorities,
    @Inject(DEVICES_OPTIONS) options: DevicesOptions,
  ) {
    this.options = certificateTerms(options);
  }

  /**
   * Issues a certificate for a key. The caller must store the certificate.
   * @throws BadRequestError if the device may not have this key
   */
  async issue(
    step: DeviceStep,
    deviceId: string,
    key: RequestedKey,
    replaces: string | null,
  ): Promise<Omit<DeviceWithCertificate, 'device'>> {
    const { em, orgId, now } = step;
    await assertKeyIsFree(em, { orgId, deviceId, fingerprint: key.fingerprint, now });
    const { authority, signer } = await this.authorities.signing(step);
    const certificate = new DeviceCertificate();
    Object.assign(certificate, { orgId, deviceId, replaces, revokedAt: null, crlReason: null });
    certificate.authorityId = authority.id;
    certificate.serial = newSerialNumber();
    certificate.spki = key.spki;
    certificate.keyFingerprint = key.fingerprint;
    certificate.notBefore = wholeSeconds(now.getTime() - CLOCK_TOLERANCE_MS);
    certificate.notAfter = wholeSeconds(now.getTime() + this.options.certificateDays * DAY_MS);
    const { serial: serialNumber, spki, notBefore, notAfter } = certificate;
    const { publicUrl } = this.options;
    const revocationListUrl = publicUrl && `${publicUrl}/v1/devices/authorities/${authority.id}/crl`;
    const content = { deviceId, spki, serialNumber, notBefore, notAfter, revocationListUrl };
    certificate.certificate = await issueCertificate(signer, content);
    return { certificate, authority };
  }
}

/**
 * The bytes of a certificate request in PEM.
 * @throws BadRequestError describing the fault
 */
export function requestBytes(csr: string): Buffer {
  const read = derOfRequest(csr);
  if ('defect' in read) throw BadRequestError.field('csr', read.defect);
  return read.der;
}

/**
 * The key of a certificate request.
 * @throws BadRequestError describing the fault
 */
export async function requestedKey(der: Buffer): Promise<RequestedKey> {
  const read = await readCertificateRequest(der);
  if ('defect' in read) throw BadRequestError.field('csr', read.defect);
  return read;
}
