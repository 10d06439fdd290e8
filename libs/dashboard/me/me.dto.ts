import { ApiSchema } from '@nestjs/swagger';
import { dtoOf, f, PRINCIPAL_KINDS, ROLES, SCOPES } from '#access';

const USER = '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33';

@ApiSchema({ name: 'GovernanceMyUserDto' })
class MyUserDto extends dtoOf({
  id: f.uuid(USER),
  email: f.text('ada@example.com'),
  name: f.text('Ada Lovelace'),
  department: f.text('Research').nullable(),
  role: f.text('member', 'Role of the user in the directory.'),
}) {}

@ApiSchema({ name: 'GovernanceMyOrganizationDto' })
class MyOrganizationDto extends dtoOf({
  id: f.uuid('0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60'),
  name: f.text('Example Corp'),
  time_zone: f.text('Europe/Berlin', 'IANA time zone in which days and budget periods begin.'),
}) {}

@ApiSchema({ name: 'GovernanceMySessionDto' })
class MySessionDto extends dtoOf({
  id: f.uuid('0199c2a8-7f00-7a31-9d42-5b1e6f0c8a21'),
  created_at: f.instant('2026-11-20T13:00:00.000Z'),
  idle_at: f.instant('2026-11-20T13:30:00.000Z', 'Time at which the session ends without further input.'),
  expires_at: f.instant('2026-11-21T01:00:00.000Z', 'Time at which the session ends at the latest.'),
}) {}

/** The caller. */
@ApiSchema({ name: 'GovernanceMeResponseDto' })
export class MeResponseDto extends dtoOf({
  kind: f.choice(PRINCIPAL_KINDS, 'token', 'Kind of the credential.'),
  id: f.text('0199c2a8-9a10-7e05-b6f4-3d8c12e7a450', 'Id of the token or the subject.'),
  name: f.text('On call', 'Name of the token or the person.'),
  scopes: f.choices(SCOPES, ['incidents:read'], 'Scopes of the credential.'),
  role: f
    .choice(ROLES, null, 'The role with exactly these scopes; null if the scopes were chosen one by one.')
    .nullable(),
  user: f.nested(MyUserDto, 'The user behind the credential.', null).nullable(),
  organization: f.nested(MyOrganizationDto, 'Your organization.'),
  version: f.text('1.4.0', 'Version of the service.'),
  session: f
    .nested(MySessionDto, 'The dashboard session of this request; null for other credentials.', null)
    .nullable(),
  now: f.instant('2026-11-20T13:00:00.000Z', 'Time of the service.'),
}) {}
