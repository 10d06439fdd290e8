/** The form in which texts are compared where case makes no difference. */
export function foldText(text: string): string {
  return text.toLowerCase().normalize('NFC');
}
