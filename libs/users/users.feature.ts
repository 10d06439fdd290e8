import { UserDirectory } from '#core';
import type { Feature } from '#database';
import { StoredUserDirectory } from './directory/stored-user.directory.js';
import { UsersController } from './http/users.controller.js';
import { UserImporter } from './import/user-importer.js';
import { UsersImportController } from './import/users-import.controller.js';
import { DepartureLane } from './lifecycle/departure.lane.js';
import { OffboardingService } from './lifecycle/offboarding.service.js';
import { UsersMigration0300 } from './migrations/0300-users.migration.js';
import { SCIM_CONTROLLERS, SCIM_ENTITIES, SCIM_MIGRATION, SCIM_PROVIDERS } from './scim/scim.parts.js';
import { User } from './user.entity.js';
import { UserListService } from './user-list.service.js';
import { UserService } from './user.service.js';

/** Users and the directory of them that decisions and usage read. */
export const usersFeature: Feature = {
  providers: [
    UserService,
    UserListService,
    OffboardingService,
    DepartureLane,
    UserImporter,
    StoredUserDirectory,
    { provide: UserDirectory, useExisting: StoredUserDirectory },
    ...SCIM_PROVIDERS,
  ],
  controllers: [UsersImportController, UsersController, ...SCIM_CONTROLLERS],
  entities: [User, ...SCIM_ENTITIES],
  migrations: [{ name: '0300_users', class: UsersMigration0300 }, SCIM_MIGRATION],
};
