import { useParams } from '@tanstack/react-router';
import { useApi } from '../../data/use-api.ts';
import { Sheet } from '../../parts/sheet.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { ConnectorForm } from './connector-form.tsx';

/** Sheet to edit a connector. */
export function EditConnectorSheet() {
  const { id = '' } = useParams({ strict: false });
  const connector = useApi('getConnector', { id });
  const kinds = useApi('listConnectorKinds', {});
  const kind = kinds.data?.items.find(each => each.kind === connector.data?.kind);
  if (connector.data && kind) return <ConnectorForm key={id} kind={kind} connector={connector.data} />;
  const error = connector.error ?? kinds.error;
  return (
    <Sheet kind="Edit ticket platform" over={`/integrations/${id}`} title="Ticket platform">
      {error && <Failure error={error} onRetry={() => void Promise.all([connector.refetch(), kinds.refetch()])} />}
      {!error && !(connector.data && kinds.data) && <Skeleton lines={5} />}
      {!error && connector.data && kinds.data && (
        <p>This installation has no adapter for the platform “{connector.data.kind}”.</p>
      )}
    </Sheet>
  );
}
