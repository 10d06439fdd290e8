/** Normalizes a text for case-insensitive comparison. */
export function foldText(text: string): string {
  return text.toLowerCase().normalize('NFC');
}
