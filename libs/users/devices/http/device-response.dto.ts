import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { DEVICE_STATUSES, type DeviceStatus } from '#core';
import { REVOCATION_CODES, type RevocationCode } from '../certificates/index.js';
import { CERTIFICATE_EXAMPLE } from './device.examples.js';

/** A device on the wire. */
@ApiSchema({ name: 'GovernanceDeviceResponseDto' })
export class DeviceResponseDto {
  @ApiProperty({ format: 'uuid', example: '0199c2a8-a571-7f6e-9b28-0c4d81e3f659' })
  id!: string;

  @ApiProperty({ format: 'uuid', example: '0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60' })
  org_id!: string;

  @ApiProperty({ format: 'uuid', example: '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33' })
  user_id!: string;

  @ApiProperty({ maxLength: 255, example: 'Laptop 17' })
  name!: string;

  @ApiProperty({
    enum: DEVICE_STATUSES.filter(status => status !== 'unknown'),
    description: 'Status of the device in decisions for its own user. `expired`: its certificate has expired.',
    example: 'active',
  })
  status!: Exclude<DeviceStatus, 'unknown'>;

  @ApiProperty({
    description: 'Serial number of the current certificate, lower-case hexadecimal.',
    example: '5e3a0c41d29b7f1088c6e41b0f9d2a73',
  })
  certificate_serial!: string;

  @ApiProperty({
    description: 'SHA-256 of the current certificate (DER), lower-case hexadecimal.',
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  })
  fingerprint_sha256!: string;

  @ApiProperty({ format: 'date-time', example: '2027-12-22T12:00:00.000Z' })
  certificate_expires_at!: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  revoked_at!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Reason in free text; null unless one was given.',
    example: null,
  })
  revocation_reason!: string | null;

  @ApiProperty({
    type: String,
    enum: Object.keys(REVOCATION_CODES),
    nullable: true,
    description: 'Reason code of the revocation list; null unless revoked.',
    example: null,
  })
  crl_reason!: RevocationCode | null;

  @ApiProperty({ format: 'date-time', description: 'Time of the enrollment.', example: '2026-11-20T12:00:00.000Z' })
  created_at!: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T12:00:00.000Z' })
  updated_at!: string;
}

/** A device with its certificate. */
@ApiSchema({ name: 'GovernanceDeviceWithCertificateResponseDto' })
export class DeviceWithCertificateResponseDto {
  @ApiProperty({ type: DeviceResponseDto })
  device!: DeviceResponseDto;

  @ApiProperty({ description: 'The certificate of the device in PEM.', example: CERTIFICATE_EXAMPLE })
  certificate!: string;

  @ApiProperty({
    description: 'The certificate of the authority that signed it, in PEM.',
    example: CERTIFICATE_EXAMPLE,
  })
  ca_certificate!: string;
}
