import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { saveCsv } from '../data/csv.ts';
import type { List } from '../data/use-api.ts';
import { Button } from './button.tsx';

/** A list that can be saved as a file. */
export type Downloadable = Pick<List<unknown>, 'items' | 'name' | 'csv'>;

/** Saves all rows of a list as CSV, with the filters and the order that are shown. */
export function DownloadCsv({ list: { items, name, csv }, small = false }: { list: Downloadable; small?: boolean }) {
  const save = useMutation({ mutationFn: async () => saveCsv(await csv(), name) });
  if (items.length === 0) return null;
  return (
    <>
      {save.error && (
        <span role="alert" className="text-critical">
          {save.error.message}
        </span>
      )}
      <Button
        small={small}
        icon={Download}
        busy={save.isPending}
        onClick={() => save.mutate()}
        aria-label={`Download CSV: ${name.replaceAll('-', ' ')}`}
        // On a narrow screen, there is only room for an icon beside the filters.
        className="max-sm:px-2"
      >
        <span className="max-sm:sr-only">CSV</span>
      </Button>
    </>
  );
}
