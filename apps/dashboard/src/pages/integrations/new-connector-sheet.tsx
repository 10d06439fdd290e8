import { useApi } from '../../data/use-api.ts';
import { Sheet } from '../../parts/sheet.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { NewConnectorForm } from './connector-form.tsx';

/** Sheet to add a connector. */
export function NewConnectorSheet() {
  const { data, error, refetch } = useApi('listConnectorKinds', {});
  if (data) return <NewConnectorForm kinds={data.items} />;
  return (
    <Sheet kind="Ticket platform" over="/integrations" title="Connect platform">
      {error ? <Failure error={error} onRetry={() => void refetch()} /> : <Skeleton lines={5} />}
    </Sheet>
  );
}
