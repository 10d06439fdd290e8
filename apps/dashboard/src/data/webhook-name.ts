/** The display name of a webhook: its description, or else its address. */
export function webhookName({ url, description }: { url: string; description: string | null }): string {
  return description?.trim() || url.replace(/^https?:\/\//, '');
}
