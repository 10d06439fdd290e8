import { readGroup } from '../groups/requested-group.js';
import { presentScimGroup, versionOfGroup, type FoundGroup } from '../groups/group.presenter.js';
import { ScimGroupReader } from '../groups/scim-group-reader.js';
import { ScimGroupService } from '../groups/scim-group.service.js';
import { GROUP_SCHEMA } from '../schemas/group.schema.js';
import { scimEndpoints, Unshown } from './scim-endpoints.js';
import { ScimController } from './scim.decorators.js';
import { ScimGroupDto, ScimGroupResourceDto } from './scim.dto.js';

const ENDPOINTS = scimEndpoints<FoundGroup>(GROUP_SCHEMA, {
  name: 'Group',
  body: ScimGroupDto,
  resource: ScimGroupResourceDto,
  replace: 'replace a group and its members',
  patch: 'change a group or its members',
  created: 'The group; its members are in its department.',
  patched: 'The group after the change, if `attributes` is given.',
  unshown: 'The group is changed. The answer has no body, because groups can be large.',
  removed: 'The group is deleted. Its members lose the department that came from it.',
});

/** SCIM endpoints of groups, whose names are departments. */
@ScimController('Groups')
export class ScimGroupsController extends ENDPOINTS {
  constructor(groups: ScimGroupService, reader: ScimGroupReader) {
    super({
      list: (orgId, query) => reader.list(orgId, query),
      get: (orgId, id, projection) => reader.get(orgId, id, projection),
      async create(actor, body, projection) {
        const { id } = await groups.create(actor, readGroup(body));
        return reader.get(actor.orgId, id, projection);
      },
      async replace(actor, id, body, projection, ifMatch) {
        const group = await groups.replace(actor, id, readGroup(body), ifMatch);
        return reader.get(actor.orgId, group.id, projection);
      },
      async patch(actor, id, steps, projection, ifMatch) {
        const group = await groups.patch(actor, id, steps, ifMatch);
        return projection.only ? reader.get(actor.orgId, group.id, projection) : new Unshown(versionOfGroup(group));
      },
      remove: (actor, id, ifMatch) => groups.remove(actor, id, ifMatch),
      present: presentScimGroup,
    });
  }
}
