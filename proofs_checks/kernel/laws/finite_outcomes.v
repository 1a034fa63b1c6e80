(* Differential privacy for laws on finitely many outcomes: one number decides it, and single outcomes decide the pure
   case; what a sequence of outputs gives away, and what becomes of a law that is close to a private one. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp reals sequences exp.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section finite.
Variables (R : realType) (O : finType).
Implicit Types (p q : O -> R) (S : {set O}).

Definition mass p S : R := \sum_(o in S) p o.
Definition probability_law p := (forall o, 0 <= p o) /\ mass p setT = 1.
(* P(S) <= e^eps Q(S) + delta for every set S of outcomes *)
Definition finitely_private (eps delta : R) p q := forall S, mass p S <= expR eps * mass q S + delta.
(* the hockey-stick divergence *)
Definition hockey_stick (eps : R) p q : R := \sum_o Num.max 0 (p o - expR eps * q o).

Lemma mass_excess eps p q S : mass p S - expR eps * mass q S = \sum_(o in S) (p o - expR eps * q o).
Proof. by rewrite /mass mulr_sumr -sumrB. Qed.

Theorem private_iff_hockey_stick (eps delta : R) p q :
  finitely_private eps delta p q <-> hockey_stick eps p q <= delta.
Proof.
split=> [h | h S].
  have := h [set o | 0 <= p o - expR eps * q o]; rewrite -ler_subl_addl mass_excess; apply: le_trans.
  rewrite /hockey_stick (bigID (fun o => o \in [set o | 0 <= p o - expR eps * q o])) /=.
  rewrite [X in _ + X]big1 ?addr0 => [|o]; last first.
    by rewrite inE -ltNge => /ltW neg; rewrite max_l.
  by apply: ler_sum => o; rewrite inE => pos; rewrite max_r.
rewrite -ler_subl_addl mass_excess; apply: le_trans h.
rewrite /hockey_stick [leRHS](bigID (fun o => o \in S)) /=; apply: ler_paddr.
  by apply: sumr_ge0 => o _; rewrite le_maxr lexx.
by apply: ler_sum => o _; rewrite le_maxr lexx orbT.
Qed.

(* the best set of outcomes attains it: it is the least delta *)
Corollary least_delta (eps : R) p q :
  finitely_private eps (hockey_stick eps p q) p q /\
  forall delta, finitely_private eps delta p q -> hockey_stick eps p q <= delta.
Proof. by split=> [|delta]; [apply/private_iff_hockey_stick | move=> /private_iff_hockey_stick]. Qed.

Theorem pure_iff_outcomes (eps : R) p q :
  finitely_private eps 0 p q <-> forall o, p o <= expR eps * q o.
Proof.
split=> [h o | h S].
  by have := h [set o]; rewrite /mass !big_set1 addr0.
by rewrite addr0 /mass mulr_sumr; apply: ler_sum => o _.
Qed.

Theorem equal_data_need_nonnegative (eps : R) p : probability_law p -> finitely_private eps 0 p p -> 0 <= eps.
Proof.
move=> [_ p1] /(_ setT); rewrite p1 mulr1 addr0 => h.
by rewrite leNgt -expR_lt1 -leNgt.
Qed.

(* the ratio of two probabilities with the convention 0/0 = 1, at most e^eps *)
Definition ratio_at_most (a b bound : R) : bool :=
  if b == 0 then (if a == 0 then 1 <= bound else false) else a / b <= bound.

Theorem ratios_iff_outcomes (eps : R) p q : probability_law p -> probability_law q ->
  (forall S, ratio_at_most (mass p S) (mass q S) (expR eps)) <-> (forall o, p o <= expR eps * q o).
Proof.
move=> [p0 p1] [q0 q1].
have m0 f S : (forall o, 0 <= f o) -> 0 <= mass f S by move=> f0; exact: sumr_ge0.
split=> [h o | h S].
  have := h [set o]; rewrite /ratio_at_most /mass !big_set1; case: eqP => [->|/eqP qn].
    by case: eqP => // -> _; rewrite mulr0.
  by rewrite ler_pdivr_mulr// lt_neqAle eq_sym qn q0.
have e1 : 1 <= expR eps.
  by rewrite -p1 -[leRHS]mulr1 -q1 /mass mulr_sumr; apply: ler_sum.
have pq : mass p S <= expR eps * mass q S by rewrite /mass mulr_sumr; apply: ler_sum.
rewrite /ratio_at_most; case: eqP => [qS|/eqP qn].
  by rewrite qS mulr0 in pq; case: eqP => // /eqP pn; move: pn; rewrite eq_le pq m0.
by rewrite ler_pdivr_mulr// lt_neqAle eq_sym qn m0.
Qed.
End finite.

Section two_outputs.
Variable R : realType.

(* a stream of two bits; the output at T is the parity of its first T bits and of one fair key bit *)
Definition masked (x : bool * bool) (key : bool) : bool * bool := (x.1 (+) key, x.1 (+) x.2 (+) key).
Definition sequence_law (x y : bool * bool) : R := \sum_(key : bool) (masked x key == y)%:R / 2%:R.
Definition first_law x (b : bool) : R := sequence_law x (b, false) + sequence_law x (b, true).
Definition second_law x (b : bool) : R := sequence_law x (false, b) + sequence_law x (true, b).

Let half : (2%:R : R)^-1 + 2%:R^-1 = 1. Proof. by rewrite -mulr2n -[LHS]mulr_natr mulVf// pnatr_eq0. Qed.

(* each output by itself is a fair coin, (0, 0)-private; both together give away the second bit *)
Theorem outputs_private_sequence_not (b c : bool) (eps delta : R) : delta < 1 ->
  [/\ finitely_private 0 0 (first_law (b, c)) (first_law (b, ~~ c)),
      finitely_private 0 0 (second_law (b, c)) (second_law (b, ~~ c))
    & ~ finitely_private eps delta (sequence_law (b, c)) (sequence_law (b, ~~ c))].
Proof.
have fair x y : first_law x y = 2%:R^-1 /\ second_law x y = 2%:R^-1.
  rewrite /first_law /second_law /sequence_law /masked !big_bool.
  by case: x y => [[] []] [] /=; rewrite ?mul0r ?mul1r ?addr0 ?add0r.
move=> d1; split.
- by apply/pure_iff_outcomes => o; rewrite expR0 mul1r !(fair _ _).1.
- by apply/pure_iff_outcomes => o; rewrite expR0 mul1r !(fair _ _).2.
move=> /(_ [set (false, c); (true, ~~ c)]).
rewrite /mass !big_setU1 ?inE//= !big_set1 /sequence_law /masked !big_bool.
by case: b c => [] [] /=; rewrite ?mul0r ?mul1r ?addr0 ?add0r ?half ?mulr0 ?add0r leNgt d1.
Qed.
End two_outputs.

Section approximate_sampler.
Variables (R : realType) (O : finType).
Implicit Types p q : O -> R.
Definition within_total_variation (delta : R) p p' := forall S : {set O}, `|mass p S - mass p' S| <= delta.

(* what follows for a sampler that is within delta of a private law, for every data set *)
Theorem approximate_sampler (eps delta : R) p q p' q' : finitely_private eps 0 p q ->
  within_total_variation delta p p' -> within_total_variation delta q q' ->
  finitely_private eps ((1 + expR eps) * delta) p' q'.
Proof.
move=> h pp qq S; have := h S; rewrite addr0 => hS.
have a : mass p' S <= mass p S + delta.
  by have := pp S; rewrite distrC => /ler_normlP[_]; rewrite ler_subl_addl.
have b : mass q S <= mass q' S + delta.
  by have := qq S => /ler_normlP[_]; rewrite ler_subl_addl.
apply: (le_trans a); rewrite mulrDl mul1r [delta + _]addrC addrA ler_add2r -mulrDr.
by apply: (le_trans hS); rewrite ler_pmul2l ?expR_gt0.
Qed.
End approximate_sampler.

Section attained.
Variable R : realType.
Definition coin (a : R) : bool -> R := fun b => if b then a else 1 - a.

Lemma coin_mass a (S : {set bool}) : mass (coin a) S = a *+ (true \in S) + (1 - a) *+ (false \in S).
Proof. by rewrite /mass big_mkcond big_bool /=; do 2 case: ifP => _; rewrite ?mulr1n ?mulr0n. Qed.

(* and no less does: for every eps there are private laws and samplers within delta that need (1 + e^eps) delta *)
Theorem total_variation_is_not_enough (eps delta : R) : 0 <= eps -> 0 < delta -> delta <= (1 + expR eps)^-1 ->
  let p := coin (expR eps / (1 + expR eps)) in let q := coin (1 + expR eps)^-1 in
  let p' := coin (expR eps / (1 + expR eps) + delta) in let q' := coin ((1 + expR eps)^-1 - delta) in
  [/\ [/\ probability_law p, probability_law q, probability_law p' & probability_law q'],
      finitely_private eps 0 p q /\ finitely_private eps 0 q p,
      within_total_variation delta p p' /\ within_total_variation delta q q'
    & forall delta', delta' < (1 + expR eps) * delta -> ~ finitely_private eps delta' p' q'].
Proof.
move=> e0 d0 dE; set E := expR eps; set w := (1 + E)^-1 => p q p' q'.
have E0 : 0 < E by exact: expR_gt0.
have E1 : 1 <= E by rewrite /E -expR0 ler_expR.
have p0 : 0 < 1 + E by apply: addr_gt0; rewrite ?ltr01.
have w0 : 0 < w by rewrite /w invr_gt0.
have n0 : 1 + E != 0 by rewrite gt_eqF.
have Ew : E * w = 1 - w by apply: (mulIf n0); rewrite -mulrA mulVf// mulr1 mulrBl mul1r mulVf// [1 + E]addrC addrK.
have law a : 0 <= a -> a <= 1 -> probability_law (coin a).
  move=> a0 a1; split; first by case; rewrite /coin ?subr_ge0.
  by rewrite coin_mass !inE !mulr1n addrC subrK.
have wE : w <= E * w by rewrite ler_pmull.
have tv a b : `|a - b| <= delta -> within_total_variation delta (coin a) (coin b).
  move=> ab S; rewrite !coin_mass opprD addrACA -!mulrnBl opprB [1 - a + _]addrC addrA subrK.
  rewrite -(opprB a b); case: (true \in S); case: (false \in S) => /=;
    by rewrite ?mulr1n ?mulr0n ?addr0 ?add0r ?subrr ?normrN ?normr0 ?(ltW d0)//.
have a0 : 0 <= E * w by rewrite mulr_ge0 ?ltW.
have a1 : E * w + delta <= 1 by rewrite Ew -ler_subr_addl opprB addrCA subrr addr0.
have a2 : E * w <= 1 by apply: le_trans a1; rewrite ler_addl ltW.
have w1 : w <= 1 := le_trans wE a2.
have wC : 1 - w = E * w by rewrite Ew.
have EC : 1 - E * w = w by rewrite Ew opprB addrCA subrr addr0.
split.
- split; apply: law => //; rewrite ?subr_ge0 ?addr_ge0 ?(ltW w0) ?(ltW d0)//.
  by rewrite ler_subl_addr (le_trans w1)// ler_addl ltW.
- split; apply/pure_iff_outcomes; case; rewrite /p /q /coin -?/E ?wC ?EC//.
  + by rewrite mulrA ler_pmull// mulr_ege1.
  + by rewrite mulrA ler_pmull// mulr_ege1.
- split; apply: tv; first by rewrite opprD addNKr normrN gtr0_norm.
  by rewrite opprB addrCA subrr addr0 gtr0_norm.
move=> delta' lt h; have := h [set true]; rewrite !coin_mass !inE /= !mulr1n !mulr0n !addr0 -/E -/w.
apply/negP; rewrite -ltNge mulrBr -[X in X < _]addrA ltr_add2l addrC ltr_subl_addr.
by move: lt; rewrite mulrDl mul1r.
Qed.
End attained.
