import { Dialog } from '@base-ui/react/dialog';
import { useLocation } from '@tanstack/react-router';
import { Keyboard, LogOut, Menu as MenuIcon, Monitor, Moon, Search, Sun, UserRound, X } from 'lucide-react';
import { useState } from 'react';
import { SIGN_IN } from '../data/address.ts';
import { useMe } from '../data/scopes.ts';
import { signOut } from '../data/session.ts';
import { buttonClass, IconButton } from '../parts/button.tsx';
import { cx } from '../parts/cx.ts';
import { MenuButton, MenuItem } from '../parts/menu.tsx';
import { LiveMark } from './live-mark.tsx';
import { Navigation } from './navigation.tsx';
import { pageOf } from './page-table.ts';
import { RangePicker } from './range-picker.tsx';
import { THEMES, useTheme } from './theme.ts';

const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon };
const THEME_NAMES = { system: 'System', light: 'Light', dark: 'Dark' };

/** The top bar of every page: organization, search, time range, live state, theme and person. */
export function TopBar({ onSearch, onHelp }: { onSearch: () => void; onHelp: () => void }) {
  const me = useMe();
  const hasRange = useLocation({ select: ({ pathname }) => pageOf(pathname)?.hasRange ?? false });
  return (
    <header className="sticky top-0 z-20 flex h-12 items-center gap-2 border-b border-line bg-paper px-4 md:px-8">
      <NavigationDrawer />
      <p className={cx('min-w-0 truncate font-medium', hasRange && 'max-sm:sr-only')} title={me.organization.name}>
        {me.organization.name}
      </p>
      <LiveMark />
      <div className="ml-auto flex min-w-0 items-center gap-2">
        <button
          type="button"
          onClick={onSearch}
          aria-keyshortcuts="Meta+K Control+K"
          className={cx(buttonClass(), 'text-muted')}
        >
          <Search size={14} strokeWidth={1.75} aria-hidden />
          <span className="max-lg:sr-only">Search</span>
          <kbd aria-hidden className="rounded border border-line px-1 font-mono text-tiny max-lg:hidden">
            ⌘K
          </kbd>
        </button>
        {hasRange && <RangePicker />}
        <ThemeMenu />
        <PersonMenu onHelp={onHelp} />
      </div>
    </header>
  );
}

function NavigationDrawer() {
  const [isOpen, setOpen] = useState(false);
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Trigger render={<IconButton icon={MenuIcon} label="Pages" className="-ml-2 md:hidden" />} />
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-veil md:hidden" />
        <Dialog.Popup className="fixed inset-y-0 left-0 z-50 flex w-60 flex-col gap-4 overflow-y-auto border-r border-line bg-paper p-3 shadow-popup outline-none md:hidden">
          <div className="flex items-center justify-between pl-3">
            <Dialog.Title className="font-semibold">Pages</Dialog.Title>
            <Dialog.Close render={<IconButton icon={X} label="Close" />} />
          </div>
          <Navigation onGo={() => setOpen(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function ThemeMenu() {
  const [theme, setTheme] = useTheme();
  return (
    <MenuButton
      trigger={
        <IconButton icon={THEME_ICONS[theme]} label={`Theme: ${THEME_NAMES[theme]}`} className="max-sm:hidden" />
      }
    >
      {THEMES.map(each => (
        <MenuItem key={each} icon={THEME_ICONS[each]} chosen={each === theme} onClick={() => setTheme(each)}>
          {THEME_NAMES[each]}
        </MenuItem>
      ))}
    </MenuButton>
  );
}

/**
 * Ends the session in this browser and at the identity provider. Loads a new document, so that no data of the session
 * stays in memory.
 */
async function leave(): Promise<void> {
  const next = await signOut().catch(() => undefined);
  if (next === undefined) location.reload();
  else location.assign(next);
}

function PersonMenu({ onHelp }: { onHelp: () => void }) {
  const me = useMe();
  const [theme, setTheme] = useTheme();
  return (
    <MenuButton trigger={<IconButton icon={UserRound} label={`Signed in as ${me.name}`} />}>
      <div className="max-w-64 border-b border-line px-3 pt-1 pb-2">
        <p className="truncate font-medium">{me.user?.name ?? me.name}</p>
        <p className="truncate text-small text-muted">
          {me.user?.email ?? (me.role === null ? 'Custom permissions' : `Role: ${me.role}`)}
        </p>
      </div>
      <MenuItem icon={Keyboard} onClick={onHelp}>
        Keyboard shortcuts
      </MenuItem>
      {/* Wide screens have a separate menu for the theme. */}
      <div className="my-1 border-y border-line py-1 sm:hidden">
        <p className="label px-3 py-1">Theme</p>
        {THEMES.map(each => (
          <MenuItem key={each} icon={THEME_ICONS[each]} chosen={each === theme} onClick={() => setTheme(each)}>
            {THEME_NAMES[each]}
          </MenuItem>
        ))}
      </div>
      {!SIGN_IN.host && (
        <MenuItem icon={LogOut} onClick={() => void leave()}>
          Sign out
        </MenuItem>
      )}
    </MenuButton>
  );
}
