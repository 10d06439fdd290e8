import { ArrowUp } from 'lucide-react';
import { useEffect, useEffectEvent } from 'react';
import { plural } from '../data/format.ts';
import type { TopicName } from '../data/live-topics.ts';
import { useNews } from '../data/live.ts';
import { Button } from './button.tsx';

interface NewsProps {
  topic: TopicName;
  onShow: () => void;
}

/** Says that records were added or changed meanwhile. The list is read again on a press only: no row moves by itself. */
export function News({ topic, onShow }: NewsProps) {
  const [count, forget] = useNews(topic);
  const show = (): void => {
    forget();
    onShow();
  };
  // What changed while another page was open: nobody looks at a row yet.
  const showEarlier = useEffectEvent(() => count > 0 && show());
  useEffect(() => void showEarlier(), []);
  return (
    <output>
      {count > 0 && (
        <Button small icon={ArrowUp} className="border-accent! text-accent!" onClick={show}>
          {topic === 'incidents' ? plural(count, 'change') : 'New entries'} – view
        </Button>
      )}
    </output>
  );
}
