import { useSyncExternalStore } from 'react';

/** The color theme. It is the only setting that the page keeps in the browser's storage. */
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

/**
 * Applies the theme at once, and again whenever the theme of the system changes. Call this function once, before the
 * first render.
 */
export function watchTheme(): void {
  system.addEventListener('change', apply);
  addEventListener('storage', apply);
  apply();
}

/** The chosen theme, and a function to change it. */
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
