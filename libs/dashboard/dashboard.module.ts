import { Module } from '@nestjs/common';
import type { Library } from '#database';
import { SignInLinksController } from './links/sign-in-links.controller.js';
import { SignInLinks } from './links/sign-in-links.js';
import { StreamController } from './live/stream.controller.js';
import { TopicPositions } from './live/topic-positions.js';
import { TopicStreams } from './live/topic-streams.js';
import { MeController } from './me/me.controller.js';
import { MeService } from './me/me.service.js';
import { DashboardMigration0850 } from './migrations/0850-dashboard.migration.js';
import { DashboardMigration0855 } from './migrations/0855-sign-in-links.migration.js';
import { DashboardMigration0860 } from './migrations/0860-session-lookup.migration.js';
import { BegunSignIns } from './oidc/begun-sign-ins.js';
import { OidcAnswers } from './oidc/oidc-answers.js';
import { OidcClients } from './oidc/oidc-clients.js';
import { OidcPeople } from './accounts/oidc-people.js';
import { OidcProviders } from './accounts/oidc-providers.js';
import { OidcArrivals, OidcSignInService } from './oidc/oidc-sign-in.service.js';
import { OidcSignOut } from './oidc/oidc-sign-out.js';
import { RefusalLog } from './oidc/refusal-log.js';
import { RefusedSignIns } from './oidc/refused-sign-ins.js';
import { OverviewController } from './overview/overview.controller.js';
import { OverviewService } from './overview/overview.service.js';
import { SearchController } from './search/search.controller.js';
import { SearchService } from './search/search.service.js';
import { BrowserSessions } from './sessions/browser-sessions.js';
import { EndedSessions } from './sessions/ended-sessions.js';
import { DashboardSession } from './sessions/session.entity.js';
import { SessionListService } from './sessions/session-list.service.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { SignInService } from './sessions/sign-in.service.js';
import { StoredSessions } from './sessions/stored-sessions.js';
import { PERSONAL_TABLES } from './personal-tables.js';

/** Nest module for the dashboard of operators: its page, browser sessions, and routes that only the page uses. */
@Module({})
export class DashboardModule {
  static readonly library: Library = {
    name: 'dashboard',
    providers: [
      StoredSessions,
      BrowserSessions,
      EndedSessions,
      SessionListService,
      SignInService,
      SignInLinks,
      OidcProviders,
      OidcClients,
      OidcAnswers,
      OidcPeople,
      BegunSignIns,
      RefusalLog,
      RefusedSignIns,
      OidcArrivals,
      OidcSignInService,
      OidcSignOut,
      MeService,
      OverviewService,
      SearchService,
      TopicPositions,
      TopicStreams,
    ],
    controllers: [
      MeController,
      SessionsController,
      SignInLinksController,
      OverviewController,
      SearchController,
      StreamController,
    ],
    entities: [DashboardSession],
    migrations: [
      { name: '0850_dashboard', class: DashboardMigration0850, tables: ['dashboard_sessions'] },
      { name: '0855_sign_in_links', class: DashboardMigration0855, tables: ['dashboard_sign_in_links'] },
      { name: '0860_session_lookup', class: DashboardMigration0860, tables: [] },
    ],
    personal: PERSONAL_TABLES,
    exports: [],
  };
}
