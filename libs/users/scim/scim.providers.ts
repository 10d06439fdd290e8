import { ScimMigration0320 } from '../migrations/0320-scim.migration.js';
import { ScimGroup } from './groups/scim-group.entity.js';
import { ScimGroupReader } from './groups/scim-group-reader.js';
import { ScimGroupService } from './groups/scim-group.service.js';
import { ScimDiscoveryController } from './http/scim-discovery.controller.js';
import { ScimGroupsController } from './http/scim-groups.controller.js';
import { ScimOthersController } from './http/scim-others.controller.js';
import { ScimSearchController } from './http/scim-search.controller.js';
import { ScimUsersController } from './http/scim-users.controller.js';
import { ScimUser } from './users/scim-user.entity.js';
import { ScimUserReader } from './users/scim-user-reader.js';
import { ScimUserService } from './users/scim-user.service.js';

/** Controllers and providers of SCIM. */
export const SCIM_PROVIDERS = [ScimUserService, ScimUserReader, ScimGroupService, ScimGroupReader];
// The order matters: the last controller matches all remaining paths.
export const SCIM_CONTROLLERS = [
  ScimUsersController,
  ScimGroupsController,
  ScimSearchController,
  ScimDiscoveryController,
  ScimOthersController,
];
export const SCIM_ENTITIES = [ScimUser, ScimGroup];
export const SCIM_MIGRATION = {
  name: '0320_scim',
  class: ScimMigration0320,
  tables: ['scim_emails', 'scim_group_members', 'scim_groups', 'scim_totals', 'scim_users'],
};
