import { useSyncExternalStore } from 'react';

/** Light, dark, or as the system has it. A preference of this browser, kept in its storage: nothing else is. */
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'governance-theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const readers = new Set<() => void>();

function read(): Theme {
  const stored = localStorage.getItem(KEY);
  return THEMES.find(theme => theme === stored) ?? 'system';
}

function apply(): void {
  const theme = read();
  document.documentElement.dataset['theme'] = theme === 'system' ? (system.matches ? 'dark' : 'light') : theme;
  for (const reader of readers) reader();
}

/** Applies the theme, and again whenever the system changes. Call it once, before anything is drawn. */
export function watchTheme(): void {
  system.addEventListener('change', apply);
  addEventListener('storage', apply);
  apply();
}

/** The chosen theme, and how to choose another. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  const theme = useSyncExternalStore(reader => {
    readers.add(reader);
    return () => readers.delete(reader);
  }, read);
  return [
    theme,
    next => {
      localStorage.setItem(KEY, next);
      apply();
    },
  ];
}
