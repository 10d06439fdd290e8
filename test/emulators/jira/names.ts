import type { Language } from './conditions.js';

const GERMAN: Readonly<Record<string, string>> = {
  ...{ Task: 'Aufgabe', Bug: 'Fehler', 'Sub-task': 'Unteraufgabe' },
  ...{ Highest: 'Höchste', High: 'Hoch', Medium: 'Mittel', Low: 'Niedrig', Lowest: 'Niedrigste' },
  ...{ 'To Do': 'Zu erledigen', 'In Progress': 'In Arbeit', Done: 'Fertig' },
  ...{ "Won't Do": 'Wird nicht erledigt', Duplicate: 'Duplikat' },
};

/** A name in the language of the account. Names given by people have no translation and do not change. */
export function shownName(name: string, language: Language): string {
  return language === 'de' ? (GERMAN[name] ?? name) : name;
}

/**
 * The language of an answer: that of the account, unless the request forces another. `Accept-Language` alone has no
 * effect for a signed-in account. Integrations also send `X-Force-Accept-Language: true`
 * (https://github.com/ParabolInc/parabol/issues/6817, https://github.com/ICTU/quality-time/issues/9101).
 */
export function languageOf(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  profile: Language,
): Language {
  if (headers['x-force-accept-language'] !== 'true') return profile;
  return String(headers['accept-language'] ?? '').startsWith('de') ? 'de' : 'en';
}
