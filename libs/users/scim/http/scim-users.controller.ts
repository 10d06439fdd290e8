import { readResource } from '../protocol/read-resource.js';
import { USER_SCHEMA } from '../schemas/user.schema.js';
import { ScimUserReader } from '../users/scim-user-reader.js';
import { ScimUserService } from '../users/scim-user.service.js';
import { presentScimUser, type FoundUser } from '../users/user.presenter.js';
import { scimEndpoints } from './scim-endpoints.js';
import { ScimController } from './scim.decorators.js';
import { ScimUserDto, ScimUserResourceDto } from './scim.dto.js';

const ENDPOINTS = scimEndpoints<FoundUser>(USER_SCHEMA, {
  name: 'User',
  body: ScimUserDto,
  resource: ScimUserResourceDto,
  replace: 'replace a user',
  patch: 'change a user',
  created: 'The user. A user who was removed before is restored.',
  patched: 'The user after the change.',
  removed: 'The user is locked out and hidden here; the history stays.',
});

/** SCIM endpoints of users. */
@ScimController('Users')
export class ScimUsersController extends ENDPOINTS {
  constructor(users: ScimUserService, reader: ScimUserReader) {
    super({
      list: (orgId, query) => reader.list(orgId, query),
      get: (orgId, id) => reader.get(orgId, id),
      create: (actor, body) => users.create(actor, readResource(USER_SCHEMA, body)),
      replace: (actor, id, body, _, ifMatch) => users.replace(actor, id, readResource(USER_SCHEMA, body), ifMatch),
      patch: (actor, id, steps, _, ifMatch) => users.patch(actor, id, steps, ifMatch),
      remove: (actor, id, ifMatch) => users.remove(actor, id, ifMatch),
      present: presentScimUser,
    });
  }
}
