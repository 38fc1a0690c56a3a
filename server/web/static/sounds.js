/**
 * Sounds of a fight, made of tones and noise: there are no files. Silent unless somebody asked for them.
 *
 * @module
 */

/** What each of them is made of: a tone slides from one frequency to another, noise goes through a filter. */
const SOUNDS = {
  hit: [{ noise: 900, ms: 90, loud: 0.5 }, { from: 190, to: 70, ms: 110, loud: 0.4, form: "triangle" }],
  critical: [{ noise: 1400, ms: 120, loud: 0.6 }, { from: 320, to: 60, ms: 200, loud: 0.5, form: "sawtooth" }],
  missed: [{ noise: 2600, ms: 140, loud: 0.18 }],
  blocked: [{ from: 950, to: 700, ms: 90, loud: 0.25, form: "square" }],
  hurt: [{ noise: 500, ms: 110, loud: 0.5 }, { from: 130, to: 80, ms: 160, loud: 0.5, form: "square" }],
  kill: [{ from: 200, to: 50, ms: 380, loud: 0.4, form: "triangle" }],
  death: [{ from: 240, to: 45, ms: 1100, loud: 0.5, form: "sawtooth" }],
  level: [392, 523, 659, 784].map((from, n) => ({ from, to: from, ms: 220, loud: 0.3, at: n * 110 })),
  mended: [523, 784].map((from, n) => ({ from, to: from, ms: 160, loud: 0.2, at: n * 90 })),
};

const LOUD = 0.35;

/** Plays them, if its setting says so. */
export class Sounds {
  /** @param {() => boolean} wanted */
  constructor(wanted) {
    this._wanted = wanted;
    this._context = null;
    this._noise = null;
    /** The names of those that were played, the last ones. */
    this.played = [];
  }

  /** @param {string} name a key of SOUNDS */
  play(name) {
    if (!this._wanted() || !(name in SOUNDS)) return;
    try {
      this._context ??= new AudioContext();
    } catch {
      return; // there is nothing to hear it with
    }
    // A browser may hold it back until somebody has pressed something.
    if (this._context.state === "suspended") this._context.resume().catch(() => {});
    this.played.push(name);
    if (this.played.length > 20) this.played.shift();
    for (const part of SOUNDS[name]) this._part(part);
  }

  _part({ from, to, noise, ms, loud, form = "sine", at = 0 }) {
    const { _context: context } = this;
    const starts = context.currentTime + at / 1000;
    const ends = starts + ms / 1000;
    const gain = context.createGain();
    gain.gain.setValueAtTime(loud * LOUD, starts);
    gain.gain.exponentialRampToValueAtTime(0.001, ends);
    gain.connect(context.destination);
    let source;
    if (noise) {
      source = context.createBufferSource();
      source.buffer = this._hiss();
      const filter = context.createBiquadFilter();
      filter.type = "bandpass";
      filter.frequency.value = noise;
      source.connect(filter).connect(gain);
    } else {
      source = context.createOscillator();
      source.type = form;
      source.frequency.setValueAtTime(from, starts);
      source.frequency.exponentialRampToValueAtTime(to, ends);
      source.connect(gain);
    }
    source.start(starts);
    source.stop(ends);
  }

  _hiss() {
    if (!this._noise) {
      const { sampleRate } = this._context;
      this._noise = this._context.createBuffer(1, Math.round(sampleRate / 4), sampleRate);
      const samples = this._noise.getChannelData(0);
      for (let n = 0; n < samples.length; n++) samples[n] = Math.random() * 2 - 1;
    }
    return this._noise;
  }
}
