// The operators' page and the sessions of browsers.
export { DashboardModule } from './dashboard.module.js';
export { dashboardParts, dashboardPath } from './page/dashboard-parts.js';
export { StoredSessions } from './sessions/stored-sessions.js';
export type { DashboardAccess, DashboardUser } from './host/host-sign-in.js';
export type { OidcProvider } from './accounts/oidc-provider.js';
export { OIDC_OPTIONS, OIDC_RULES, type OidcOptions } from './accounts/oidc.options.js';
export { DASHBOARD_RULES, type DashboardStructure } from './dashboard.options.js';
