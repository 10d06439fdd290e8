import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import type { InputOf, Operation } from '../data/call.ts';
import { saveCsv } from '../data/csv.ts';
import { Button } from './button.tsx';

interface CsvButtonProps<O extends Operation> {
  operation: O;
  /** The query that the page shows. */
  input: InputOf<O>;
  /** Name of the file, without its ending. */
  name: string;
}

/** Saves the query that is shown as CSV. */
export function CsvButton<O extends Operation>({ operation, input, name }: CsvButtonProps<O>) {
  const save = useMutation({ mutationFn: () => saveCsv(operation, input, name) });
  return (
    <span className="inline-flex items-center gap-2">
      {save.error && (
        <span role="alert" className="text-critical">
          {save.error.message}
        </span>
      )}
      <Button icon={Download} busy={save.isPending} onClick={() => save.mutate()}>
        CSV
      </Button>
    </span>
  );
}
