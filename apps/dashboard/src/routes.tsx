import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  Navigate,
} from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PAGE_ROOT } from './data/address.ts';
import { opens, useMe } from './data/scopes.ts';
import { Frame } from './shell/frame.tsx';
import { PAGES as PAGE_TABLE } from './shell/page-table.ts';
import { NotFound, PageFault } from './shell/page-fault.tsx';
import { Skeleton } from './parts/states.tsx';

type Load = () => Promise<{ default: () => ReactNode }>;

/** Loads an export of a module by name, because pages have no default exports. */
const part =
  <Name extends string>(load: () => Promise<Record<Name, () => ReactNode>>, name: Name): Load =>
  async () => ({ default: (await load())[name] });

/**
 * Pages, and their sheets by path. The code of a page is loaded when the page is first opened. A sheet is shown over
 * its page, so the router renders both.
 */
const PAGES: Record<string, { page: Load; sheets?: Record<string, Load> }> = {
  overview: { page: part(() => import('./pages/overview/overview-page.tsx'), 'OverviewPage') },
  mine: { page: part(() => import('./pages/mine/mine-page.tsx'), 'MinePage') },
  incidents: {
    page: part(() => import('./pages/incidents/incidents-page.tsx'), 'IncidentsPage'),
    sheets: {
      $id: part(() => import('./pages/incidents/incident-sheet.tsx'), 'IncidentSheet'),
      'tickets/$ticketId': part(() => import('./pages/incidents/ticket-sheet.tsx'), 'TicketSheet'),
    },
  },
  approvals: {
    page: part(() => import('./pages/approvals/approvals-page.tsx'), 'ApprovalsPage'),
    sheets: { $id: part(() => import('./pages/approvals/approval-sheet.tsx'), 'ApprovalSheet') },
  },
  policies: {
    page: part(() => import('./pages/policies/policies-page.tsx'), 'PoliciesPage'),
    sheets: {
      new: part(() => import('./pages/policies/new-policy-sheet.tsx'), 'NewPolicySheet'),
      $id: part(() => import('./pages/policies/policy-sheet.tsx'), 'PolicySheet'),
      '$id/edit': part(() => import('./pages/policies/edit-policy-sheet.tsx'), 'EditPolicySheet'),
    },
  },
  budgets: {
    page: part(() => import('./pages/budgets/budgets-page.tsx'), 'BudgetsPage'),
    sheets: {
      new: part(() => import('./pages/budgets/new-budget-sheet.tsx'), 'NewBudgetSheet'),
      $id: part(() => import('./pages/budgets/budget-sheet.tsx'), 'BudgetSheet'),
      '$id/edit': part(() => import('./pages/budgets/edit-budget-sheet.tsx'), 'EditBudgetSheet'),
    },
  },
  limits: {
    page: part(() => import('./pages/limits/limits-page.tsx'), 'LimitsPage'),
    sheets: {
      new: part(() => import('./pages/limits/new-limit-sheet.tsx'), 'NewLimitSheet'),
      $id: part(() => import('./pages/limits/limit-sheet.tsx'), 'LimitSheet'),
      '$id/edit': part(() => import('./pages/limits/edit-limit-sheet.tsx'), 'EditLimitSheet'),
    },
  },
  prices: {
    page: part(() => import('./pages/prices/prices-page.tsx'), 'PricesPage'),
    sheets: {
      new: part(() => import('./pages/prices/price-form-sheet.tsx'), 'PriceFormSheet'),
      rerate: part(() => import('./pages/prices/rerate-sheet.tsx'), 'RerateSheet'),
      $id: part(() => import('./pages/prices/price-sheet.tsx'), 'PriceSheet'),
    },
  },
  usage: { page: part(() => import('./pages/usage/usage-page.tsx'), 'UsagePage') },
  decisions: {
    page: part(() => import('./pages/decisions/decisions-page.tsx'), 'DecisionsPage'),
    sheets: { $id: part(() => import('./pages/decisions/decision-sheet.tsx'), 'DecisionSheet') },
  },
  audit: {
    page: part(() => import('./pages/audit/audit-page.tsx'), 'AuditPage'),
    sheets: { $id: part(() => import('./pages/audit/audit-sheet.tsx'), 'AuditSheet') },
  },
  users: {
    page: part(() => import('./pages/users/users-page.tsx'), 'UsersPage'),
    sheets: {
      import: part(() => import('./pages/users/import-sheet.tsx'), 'ImportSheet'),
      $id: part(() => import('./pages/users/user-sheet.tsx'), 'UserSheet'),
    },
  },
  devices: {
    page: part(() => import('./pages/devices/devices-page.tsx'), 'DevicesPage'),
    sheets: {
      new: part(() => import('./pages/devices/enroll-sheet.tsx'), 'EnrollSheet'),
      $id: part(() => import('./pages/devices/device-sheet.tsx'), 'DeviceSheet'),
    },
  },
  webhooks: {
    page: part(() => import('./pages/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
    sheets: {
      new: part(() => import('./pages/webhooks/new-webhook-sheet.tsx'), 'NewWebhookSheet'),
      $id: part(() => import('./pages/webhooks/webhook-sheet.tsx'), 'WebhookSheet'),
      '$id/edit': part(() => import('./pages/webhooks/edit-webhook-sheet.tsx'), 'EditWebhookSheet'),
    },
  },
  integrations: {
    page: part(() => import('./pages/integrations/integrations-page.tsx'), 'IntegrationsPage'),
    sheets: {
      new: part(() => import('./pages/integrations/new-connector-sheet.tsx'), 'NewConnectorSheet'),
      $id: part(() => import('./pages/integrations/connector-sheet.tsx'), 'ConnectorSheet'),
      '$id/edit': part(() => import('./pages/integrations/edit-connector-sheet.tsx'), 'EditConnectorSheet'),
      'chat/new': part(() => import('./pages/integrations/workspace-sheet.tsx'), 'NewWorkspaceSheet'),
      'chat/$workspaceId': part(() => import('./pages/integrations/workspace-sheet.tsx'), 'WorkspaceSheet'),
      'providers/new': part(() => import('./pages/integrations/provider-sheet.tsx'), 'NewProviderSheet'),
      'providers/$name': part(() => import('./pages/integrations/provider-sheet.tsx'), 'ProviderSheet'),
    },
  },
  settings: {
    page: part(() => import('./pages/settings/settings-page.tsx'), 'SettingsPage'),
    sheets: {
      'tokens/new': part(() => import('./pages/settings/new-token-sheet.tsx'), 'NewTokenSheet'),
      'tokens/$tokenId': part(() => import('./pages/settings/token-sheet.tsx'), 'TokenSheet'),
    },
  },
};

const rootRoute = createRootRoute({
  component: Frame,
  notFoundComponent: NotFound,
  validateSearch: (search): Record<string, string> =>
    Object.fromEntries(
      Object.entries(search)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => [name, String(value)]),
    ),
});

const start = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  component: Start,
});

/** Opens the first page that the credential may read: the overview, or a member's own usage. */
function Start() {
  const me = useMe();
  const first = PAGE_TABLE.find(page => opens(me, page)) ?? PAGE_TABLE[0];
  return <Navigate to={`/${first?.path ?? 'overview'}`} replace />;
}

function routeOf(path: string, { page, sheets = {} }: (typeof PAGES)[string]) {
  const Content = lazyRouteComponent(page);
  const route = createRoute({
    getParentRoute: () => rootRoute,
    path,
    component: () => (
      <>
        <Content />
        <Outlet />
      </>
    ),
    loader: async () => Content.preload?.(),
    pendingComponent: () => <Skeleton />,
  });
  return route.addChildren(
    Object.entries(sheets).map(([below, load]) =>
      createRoute({ getParentRoute: () => route, path: below, component: lazyRouteComponent(load) }),
    ),
  );
}

/** Creates the router. All state is in the address: pages, sheets, and filters as plain `name=value`. */
export function createPageRouter() {
  return createRouter({
    routeTree: rootRoute.addChildren([start, ...Object.entries(PAGES).map(([path, parts]) => routeOf(path, parts))]),
    basepath: PAGE_ROOT.pathname,
    defaultPreload: 'intent',
    defaultErrorComponent: PageFault,
    defaultNotFoundComponent: NotFound,
    scrollRestoration: true,
    parseSearch: search => Object.fromEntries(new URLSearchParams(search)),
    stringifySearch: search => {
      const text = new URLSearchParams(
        Object.entries(search).filter(([, value]) => value !== undefined && value !== '') as [string, string][],
      ).toString();
      return text === '' ? '' : `?${text}`;
    },
  });
}
