import { useState } from 'react';
import { API_ROOT } from '../../data/address.ts';
import { useMay, useMe } from '../../data/scopes.ts';
import { useAction, useApi } from '../../data/use-api.ts';
import { Ask } from '../../parts/ask.tsx';
import { Button } from '../../parts/button.tsx';
import { CopyText } from '../../parts/copy-text.tsx';
import { Facts } from '../../parts/facts.tsx';
import { CheckField, TextArea } from '../../parts/field.tsx';
import { Section } from '../../parts/page.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { say } from '../../parts/toasts.tsx';

/** The addresses to which platforms send ticket updates, and the networks from which they may send. */
export function Inbound() {
  const { organization } = useMe();
  const mayWrite = useMay('itsm:write');
  const [isEditing, setEditing] = useState(false);
  const { data, error, refetch } = useApi('getInboundSettings', {});
  return (
    <Section
      title="Inbound status updates"
      aside={
        data &&
        mayWrite && (
          <Button small onClick={() => setEditing(true)}>
            Edit networks…
          </Button>
        )
      }
    >
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={2} />}
      {data && (
        <div className="max-w-[48rem]">
          <Facts
            facts={[
              [
                'Inbound URL',
                <CopyText
                  key="url"
                  text={`${API_ROOT}/integrations/itsm/webhook/${organization.id}`}
                  what="inbound URL"
                />,
              ],
              [
                'Allowed networks',
                data.allowed_networks.length === 0 ? (
                  'None: every update is refused'
                ) : (
                  <span key="networks" className="font-mono text-small">
                    {data.allowed_networks.join(', ')}
                  </span>
                ),
              ],
              [
                'Last changed',
                data.updated_at === null || data.is_default ? (
                  'Never (default)'
                ) : (
                  <Time key="set" at={data.updated_at} />
                ),
              ],
            ]}
          />
        </div>
      )}
      {data && isEditing && <Networks networks={data.allowed_networks} onClose={() => setEditing(false)} />}
    </Section>
  );
}

function Networks({ networks, onClose }: { networks: readonly string[]; onClose: () => void }) {
  const [text, setText] = useState(networks.join('\n'));
  const [isDefault, setDefault] = useState(false);
  const put = useAction('putInboundSettings', ['getInboundSettings'], () => {
    say('Networks saved');
    onClose();
  });
  const listed = text.split(/[\s,]+/).filter(each => each !== '');
  return (
    <Ask
      open
      onClose={onClose}
      title="Allowed networks"
      act="Save networks"
      busy={put.isPending}
      error={put.error}
      onAct={() => put.mutate({ body: { allowed_networks: isDefault ? null : listed } })}
    >
      <TextArea
        label="Networks and addresses, one per line"
        hint="For example, 203.0.113.0/24 or 203.0.113.7. If empty, every update is refused."
        rows={6}
        className="[&_textarea]:font-mono"
        disabled={isDefault}
        value={text}
        onChange={event => setText(event.target.value)}
      />
      <CheckField
        label="Default: this machine and private networks"
        checked={isDefault}
        onChange={event => setDefault(event.target.checked)}
      />
      {!isDefault && listed.length === 0 && <p className="font-medium text-high">Every update will be refused.</p>}
    </Ask>
  );
}
