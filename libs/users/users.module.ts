import { Module } from '@nestjs/common';
import { UserDirectory } from '#core';
import type { Library } from '#database';
import { StoredUserDirectory } from './directory/stored-user-directory.js';
import { UsersController } from './http/users.controller.js';
import { UserImporter } from './import/user-importer.js';
import { PersonalData } from './privacy/personal-data.js';
import { UserErasure } from './privacy/user-erasure.js';
import { PersonalExport } from './privacy/personal-export.js';
import { PrivacyController } from './privacy/privacy.controller.js';
import { UsersImportController } from './import/users-import.controller.js';
import { DepartureJob } from './lifecycle/departure.job.js';
import { Lockouts } from './lifecycle/lockouts.js';
import { OffboardingService } from './lifecycle/offboarding.service.js';
import { UsersMigration0300 } from './migrations/0300-users.migration.js';
import { SCIM_CONTROLLERS, SCIM_ENTITIES, SCIM_MIGRATION, SCIM_PROVIDERS } from './scim/scim.providers.js';
import { User } from './user.entity.js';
import { UserListService } from './user-list.service.js';
import { UserService } from './user.service.js';
import { UsersOverview } from './users-overview.js';
import { PERSONAL_TABLES } from './personal-tables.js';

/** Nest module for users, their offboarding, import and SCIM. */
@Module({})
export class UsersModule {
  static readonly library: Library = {
    name: 'users',
    providers: [
      Lockouts,
      UserService,
      UserListService,
      OffboardingService,
      DepartureJob,
      UserImporter,
      UsersOverview,
      PersonalData,
      PersonalExport,
      UserErasure,
      StoredUserDirectory,
      ...SCIM_PROVIDERS,
    ],
    ports: [{ provide: UserDirectory, useExisting: StoredUserDirectory }],
    controllers: [UsersImportController, UsersController, PrivacyController, ...SCIM_CONTROLLERS],
    entities: [User, ...SCIM_ENTITIES],
    migrations: [{ name: '0300_users', class: UsersMigration0300, tables: ['users'] }, SCIM_MIGRATION],
    personal: PERSONAL_TABLES,
    exports: [UserService, OffboardingService, PersonalExport, UserErasure, UserImporter, UserListService],
  };
}
