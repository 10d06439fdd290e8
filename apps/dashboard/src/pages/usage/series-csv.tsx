import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { routeAddress } from '../../data/usage-series.ts';
import { saveRoute } from '../../data/csv.ts';
import { Button } from '../../parts/button.tsx';

interface SeriesCsvProps {
  query: Record<string, string | number | undefined>;
  name: string;
}

/** Saves the displayed series as CSV, exactly as the API returns it. */
export function SeriesCsv({ query, name }: SeriesCsvProps) {
  const save = useMutation({ mutationFn: () => saveRoute(routeAddress('usage/series', query), name) });
  return (
    <>
      {save.error && (
        <span role="alert" className="text-critical">
          {save.error.message}
        </span>
      )}
      <Button icon={Download} busy={save.isPending} onClick={() => save.mutate()}>
        CSV
      </Button>
    </>
  );
}
