import { ApiSchema } from '@nestjs/swagger';
import { dtoOf, f } from '#access';
import { DEVICE_STATUSES, type DeviceStatus } from '#core';
import { REVOCATION_CODES, type RevocationCode } from '../certificates/index.js';
import { CERTIFICATE_EXAMPLE } from './device.examples.js';

/** A device on the wire. */
@ApiSchema({ name: 'GovernanceDeviceResponseDto' })
export class DeviceResponseDto extends dtoOf({
  id: f.uuid('0199c2a8-a571-7f6e-9b28-0c4d81e3f659'),
  org_id: f.uuid('0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60'),
  user_id: f.uuid('0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33'),
  name: f.text('Laptop 17', undefined, { maxLength: 255 }),
  status: f.of<Exclude<DeviceStatus, 'unknown'>>({
    enum: DEVICE_STATUSES.filter(status => status !== 'unknown'),
    description: 'Status of the device in decisions for its own user. `expired`: its certificate has expired.',
    example: 'active',
  }),
  certificate_serial: f.text(
    '5e3a0c41d29b7f1088c6e41b0f9d2a73',
    'Serial number of the current certificate, lower-case hexadecimal.',
  ),
  fingerprint_sha256: f.text(
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'SHA-256 of the current certificate (DER), lower-case hexadecimal.',
  ),
  certificate_expires_at: f.instant('2027-12-22T12:00:00.000Z'),
  revoked_at: f.instant(null).nullable(),
  revocation_reason: f.text(null, 'Reason in free text; null unless one was given.').nullable(),
  crl_reason: f
    .of<RevocationCode>({
      type: String,
      enum: Object.keys(REVOCATION_CODES),
      description: 'Reason code of the revocation list; null unless revoked.',
      example: null,
    })
    .nullable(),
  created_at: f.instant('2026-11-20T12:00:00.000Z', 'Time of the enrollment.'),
  updated_at: f.instant('2026-11-20T12:00:00.000Z'),
}) {}

/** A device with its certificate. */
@ApiSchema({ name: 'GovernanceDeviceWithCertificateResponseDto' })
export class DeviceWithCertificateResponseDto extends dtoOf({
  device: f.nested(DeviceResponseDto),
  certificate: f.text(CERTIFICATE_EXAMPLE, 'The certificate of the device in PEM.'),
  ca_certificate: f.text(CERTIFICATE_EXAMPLE, 'The certificate of the authority that signed it, in PEM.'),
}) {}
