import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { PRINCIPAL_KINDS, ROLES, SCOPES, type Principal, type Role, type Scope } from '#access';

const USER = '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33';

@ApiSchema({ name: 'GovernanceMyUserDto' })
class MyUserDto {
  @ApiProperty({ format: 'uuid', example: USER })
  id!: string;

  @ApiProperty({ example: 'ada@example.com' })
  email!: string;

  @ApiProperty({ example: 'Ada Lovelace' })
  name!: string;

  @ApiProperty({ type: String, nullable: true, example: 'Research' })
  department!: string | null;

  @ApiProperty({ description: 'Role of the user in the directory.', example: 'member' })
  role!: string;
}

@ApiSchema({ name: 'GovernanceMyOrganizationDto' })
class MyOrganizationDto {
  @ApiProperty({ format: 'uuid', example: '0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60' })
  id!: string;

  @ApiProperty({ example: 'Example Corp' })
  name!: string;

  @ApiProperty({ description: 'IANA time zone in which days and budget periods begin.', example: 'Europe/Berlin' })
  time_zone!: string;
}

@ApiSchema({ name: 'GovernanceMySessionDto' })
class MySessionDto {
  @ApiProperty({ format: 'uuid', example: '0199c2a8-7f00-7a31-9d42-5b1e6f0c8a21' })
  id!: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T13:00:00.000Z' })
  created_at!: string;

  @ApiProperty({
    format: 'date-time',
    description: 'Time at which the session ends without further input.',
    example: '2026-11-20T13:30:00.000Z',
  })
  idle_at!: string;

  @ApiProperty({
    format: 'date-time',
    description: 'Time at which the session ends at the latest.',
    example: '2026-11-21T01:00:00.000Z',
  })
  expires_at!: string;
}

/** The caller. */
@ApiSchema({ name: 'GovernanceMeResponseDto' })
export class MeResponseDto {
  @ApiProperty({ enum: PRINCIPAL_KINDS, description: 'Kind of the credential.', example: 'token' })
  kind!: Principal['kind'];

  @ApiProperty({ description: 'Id of the token or the subject.', example: '0199c2a8-9a10-7e05-b6f4-3d8c12e7a450' })
  id!: string;

  @ApiProperty({ description: 'Name of the token or the person.', example: 'On call' })
  name!: string;

  @ApiProperty({ enum: SCOPES, isArray: true, description: 'Scopes of the credential.', example: ['incidents:read'] })
  scopes!: Scope[];

  @ApiProperty({
    type: String,
    enum: ROLES,
    nullable: true,
    description: 'The role with exactly these scopes; null if the scopes were chosen one by one.',
    example: null,
  })
  role!: Role | null;

  @ApiProperty({ type: MyUserDto, nullable: true, description: 'The user behind the credential.', example: null })
  user!: MyUserDto | null;

  @ApiProperty({ type: MyOrganizationDto, description: 'Your organization.' })
  organization!: MyOrganizationDto;

  @ApiProperty({ description: 'Version of the service.', example: '1.4.0' })
  version!: string;

  @ApiProperty({
    type: MySessionDto,
    nullable: true,
    description: 'The dashboard session of this request; null for other credentials.',
    example: null,
  })
  session!: MySessionDto | null;

  @ApiProperty({ format: 'date-time', description: 'Time of the service.', example: '2026-11-20T13:00:00.000Z' })
  now!: string;
}
