import { ApiSchema } from '@nestjs/swagger';
import { CheckedField, ChoiceField, dtoOf, f, InstantField, PageQueryDto, TextField, UuidField } from '#access';
import { DEVICE_STATUSES, type DeviceStatus } from '#core';
import { PROOF_MAX_LENGTH, REQUEST_MAX_LENGTH, REVOCATION_CODES, type RevocationCode } from '../certificates/index.js';
import { ENROLLMENT_MAX_DAYS } from '../enroll/enrollment.service.js';
import { PROOF_EXAMPLE, RENEWAL_EXAMPLE, REQUEST_EXAMPLE } from './device.examples.js';

const USER_EXAMPLE = '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33';
const NAME = { max: 255, description: 'Name of the device.', example: 'Laptop 17' };
const REQUEST = {
  max: REQUEST_MAX_LENGTH,
  description:
    'A certificate request (PKCS#10) in PEM, signed by its key: RSA of 2,048 to 8,192 bits, EC on P-256, P-384 or P-521, ' +
    'or Ed25519. Only its public key is used.',
  example: REQUEST_EXAMPLE,
};
const STATUSES = DEVICE_STATUSES.filter(status => status !== 'unknown');
const CODES = Object.keys(REVOCATION_CODES);

/** Body to create an enrollment. */
@ApiSchema({ name: 'GovernanceCreateEnrollmentDto' })
export class CreateEnrollmentDto {
  @UuidField({ description: 'The user to whom the device will belong; must be active.', example: USER_EXAMPLE })
  user_id!: string;

  @TextField(NAME)
  name!: string;

  @InstantField({
    optional: true,
    description: `Expiry of the token, at most ${ENROLLMENT_MAX_DAYS} days ahead. Default: 24 hours from now.`,
    example: '2026-11-21T12:00:00Z',
  })
  expires_at?: string;
}

/** Body of a device that enrolls itself. */
@ApiSchema({ name: 'GovernanceEnrollDeviceDto' })
export class EnrollDeviceDto {
  @TextField({
    max: 128,
    description: 'The enrollment token. It enrolls one device.',
    example: 'enroll_c2FtcGxlLXRva2VuLXRoYXQtb3BlbnMtbm90aGluZzE',
  })
  token!: string;

  @TextField(REQUEST)
  csr!: string;
}

/** Body of a device that renews its certificate. */
@ApiSchema({ name: 'GovernanceRenewDeviceDto' })
export class RenewDeviceDto {
  @TextField({ ...REQUEST, example: RENEWAL_EXAMPLE, description: `${REQUEST.description} The key must be a new one.` })
  csr!: string;

  @CheckedField(
    {
      description:
        'Signature of the device’s current key over the request in DER, in base64: with SHA-256 for RSA and EC keys, ' +
        'without a separate hash for Ed25519.',
      example: PROOF_EXAMPLE,
    },
    { type: String, format: 'byte', minLength: 1, maxLength: PROOF_MAX_LENGTH },
    proofDefect,
  )
  proof!: string;
}

/** Reason of a revocation. */
@ApiSchema({ name: 'GovernanceRevokeDeviceDto' })
export class RevokeDeviceDto {
  @TextField({ max: 255, optional: true, description: 'Reason in free text.', example: 'Left in a train' })
  reason?: string;

  @ChoiceField(CODES, {
    optional: true,
    default: 'unspecified',
    description:
      'Reason code of revocation lists. A compromised key never gets a certificate again. You may also send `key_compromise` ' +
      'for a device that is already revoked.',
    example: 'key_compromise',
  })
  crl_reason?: RevocationCode;
}

/** Filters of the device list. */
export class ListDevicesQueryDto extends PageQueryDto {
  @UuidField({ optional: true, description: 'Only devices of this user.' })
  user_id?: string;

  @ChoiceField(STATUSES, { optional: true, description: 'Only devices of this status.' })
  status?: Exclude<DeviceStatus, 'unknown'>;
}

/** Permission to enroll a device. */
@ApiSchema({ name: 'GovernanceEnrollmentResponseDto' })
export class EnrollmentResponseDto extends dtoOf({
  id: f.uuid('0199c2a8-9c44-7a0b-8d3e-52b7f1c6e908'),
  org_id: f.uuid('0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60'),
  user_id: f.uuid(USER_EXAMPLE),
  name: f.text('Laptop 17', undefined, { maxLength: 255 }),
  token: f.text('enroll_c2FtcGxlLXRva2VuLXRoYXQtb3BlbnMtbm90aGluZzE', 'The one-time token. It is shown only here.'),
  expires_at: f.instant('2026-11-21T12:00:00.000Z'),
  created_at: f.instant('2026-11-20T12:00:00.000Z'),
}) {}

function proofDefect(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a text';
  if (value.length > PROOF_MAX_LENGTH) return `must be at most ${PROOF_MAX_LENGTH} characters`;
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value) && value !== ''
    ? undefined
    : 'must be a signature in base64 without line breaks';
}
