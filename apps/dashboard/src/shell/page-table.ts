import {
  BadgeDollarSign,
  CircleUserRound,
  ChartNoAxesColumn,
  CircleGauge,
  FileClock,
  Gauge,
  Hand,
  LaptopMinimal,
  ListChecks,
  Plug,
  ScrollText,
  Settings,
  Siren,
  Users,
  Wallet,
  Webhook,
  type LucideIcon,
} from 'lucide-react';

/** A page of the dashboard. */
export interface PageEntry {
  /** First segment of the page's address. */
  path: string;
  title: string;
  group: 'Attention' | 'Control' | 'Evidence' | 'Manage';
  icon: LucideIcon;
  /** Key that opens the page when it is pressed after `g`. */
  key: string;
  /** Scopes, of which a person needs one to open the page. If the list is empty, everybody may open it. */
  scopes: readonly string[];
  /** Whether the page shows data of the signed-in user. A credential without a user cannot open such a page. */
  isPersonal?: boolean;
  /** Whether the page uses the time range of the top bar. */
  hasRange: boolean;
}

/** All pages, in the order of the navigation. */
export const PAGES: readonly PageEntry[] = [
  {
    path: 'overview',
    title: 'Overview',
    group: 'Attention',
    icon: CircleGauge,
    key: 'o',
    scopes: ['incidents:read', 'webhooks:read', 'itsm:read', 'budgets:read', 'approvals:read', 'anomalies:read'],
    hasRange: true,
  },
  {
    path: 'mine',
    title: 'My usage',
    group: 'Attention',
    icon: CircleUserRound,
    key: 'm',
    scopes: ['usage:read:own'],
    isPersonal: true,
    hasRange: true,
  },
  {
    path: 'incidents',
    title: 'Incidents',
    group: 'Attention',
    icon: Siren,
    key: 'i',
    scopes: ['incidents:read', 'incidents:read:own'],
    hasRange: false,
  },
  {
    path: 'approvals',
    title: 'Approvals',
    group: 'Attention',
    icon: Hand,
    key: 'a',
    scopes: ['approvals:read', 'approvals:read:own'],
    hasRange: false,
  },
  {
    path: 'policies',
    title: 'Policies',
    group: 'Control',
    icon: ScrollText,
    key: 'p',
    scopes: ['policies:read'],
    hasRange: false,
  },
  {
    path: 'budgets',
    title: 'Budgets',
    group: 'Control',
    icon: Wallet,
    key: 'b',
    scopes: ['budgets:read'],
    hasRange: false,
  },
  {
    path: 'limits',
    title: 'Limits',
    group: 'Control',
    icon: Gauge,
    key: 'l',
    scopes: ['budgets:read'],
    hasRange: false,
  },
  {
    path: 'prices',
    title: 'Prices',
    group: 'Control',
    icon: BadgeDollarSign,
    key: 'r',
    scopes: ['prices:read'],
    hasRange: false,
  },
  {
    path: 'usage',
    title: 'Usage',
    group: 'Evidence',
    icon: ChartNoAxesColumn,
    key: 's',
    scopes: ['usage:read', 'usage:read:own'],
    hasRange: true,
  },
  {
    path: 'decisions',
    title: 'Decisions',
    group: 'Evidence',
    icon: ListChecks,
    key: 'd',
    scopes: ['decisions:read'],
    hasRange: true,
  },
  {
    path: 'audit',
    title: 'Audit',
    group: 'Evidence',
    icon: FileClock,
    key: 't',
    scopes: ['audit:read'],
    hasRange: true,
  },
  { path: 'users', title: 'Users', group: 'Manage', icon: Users, key: 'u', scopes: ['users:read'], hasRange: false },
  {
    path: 'devices',
    title: 'Devices',
    group: 'Manage',
    icon: LaptopMinimal,
    key: 'v',
    scopes: ['devices:read', 'devices:read:own'],
    hasRange: false,
  },
  {
    path: 'webhooks',
    title: 'Webhooks',
    group: 'Manage',
    icon: Webhook,
    key: 'w',
    scopes: ['webhooks:read'],
    hasRange: false,
  },
  {
    path: 'integrations',
    title: 'Integrations',
    group: 'Manage',
    icon: Plug,
    key: 'n',
    scopes: ['itsm:read', 'gateway:read'],
    hasRange: false,
  },
  {
    path: 'settings',
    title: 'Settings',
    group: 'Manage',
    icon: Settings,
    key: 'e',
    scopes: ['organization:read', 'tokens:read'],
    hasRange: false,
  },
];

/** The groups of the navigation, in order. */
export const GROUPS = ['Attention', 'Control', 'Evidence', 'Manage'] as const;

/** The page to which an address belongs. */
export function pageOf(pathname: string): PageEntry | undefined {
  const first = pathname.split('/').find(segment => segment !== '');
  return PAGES.find(({ path }) => path === first);
}
