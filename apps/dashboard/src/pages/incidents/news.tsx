import { ArrowUp } from 'lucide-react';
import { useChangedIncidents } from '../../data/live.ts';
import { plural } from '../../data/format.ts';
import { Button } from '../../parts/button.tsx';

/** Says that incidents were raised or changed meanwhile. The list is read again on a press only: no row moves by itself. */
export function News({ onShow }: { onShow: () => void }) {
  const [ids, forget] = useChangedIncidents();
  return (
    <output>
      {ids.length > 0 && (
        <Button
          small
          icon={ArrowUp}
          className="border-accent! text-accent!"
          onClick={() => {
            forget();
            onShow();
          }}
        >
          {plural(ids.length, 'change')} – view
        </Button>
      )}
    </output>
  );
}
