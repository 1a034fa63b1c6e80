(* Along a stream that starts empty the update as repaired keeps the property of the spectral histogram after every row,
   for exact matrices and for approximations within 1 +- eta/4; hence the accuracy of the sketch that is output
   (sliding-window lemma-1, lemma-10, lemma-2/on-the-event, corollary-1, proposition-10). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From mathcomp.zify Require Import zify.
From DPMatrix.matrices Require Import inner_products spectral_histogram checkpoint_updates.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope ring_scope.

Section stream.
Variables (R : realFieldType) (d : nat) (row : nat -> 'cV[R]_d) (W : nat) (eta floor : R).
Hypotheses (W0 : (0 < W)%N) (eta0 : 0 < eta) (eta1 : eta < 1) (floor0 : 0 <= floor).
Variable close : nat -> nat -> nat -> bool.
Hypothesis close_near : forall t s s', (0 < s <= t)%N -> (0 < s' <= t)%N -> close t s s' ->
  loewner ((1 - eta) *: suffix row floor t s) (suffix row floor t s').

Theorem update_keeps_the_property T :
  histogram_property row W eta floor (fun s s' => ~ close T.+1 s s') T.+1 (stamps W close T.+1).
Proof.
suff [ord cov cons _] : [/\ in_order T.+1 (stamps W close T.+1), covers W T.+1 (stamps W close T.+1),
    consecutive (near row eta floor T.+1) (stamps W close T.+1) & last 0%N (stamps W close T.+1) = T.+1].
  by split=> //; apply: thin_apart.
elim: T => [|T]; first by split=> //=; rewrite /start; lia.
rewrite -[stamps W close T.+2]/(update (close T.+2) (expire W T.+2 (rcons (stamps W close T.+1) T.+2))); move: (stamps W close T.+1) => s [ord cov cons lst].
pose s1 := rcons s T.+2; pose s2 := expire W T.+2 s1.
have s0 : s != [::] by case: s cov {ord cons lst s1 s2}.
have ord1 : in_order T.+2 s1.
  move: ord => /andP[so rg]; apply/andP; split; last first.
    rewrite all_rcons ltnSn /=; apply: sub_all rg => t /andP[-> ] /=; lia.
  rewrite /s1; case: s s0 lst so {cov cons rg s1 s2} => // x s _ /= lst so.
  by rewrite rcons_path so /= lst.
have cons1 : consecutive (near row eta floor T.+2) s1.
  have c2 : consecutive (near row eta floor T.+2) s.
    apply: consecutive_sub cons => x y xs ys; apply: near_next => //.
      by case/andP: ord => _ /allP/(_ x xs) /andP[_]; lia.
    by case/andP: ord => _ /allP/(_ y ys) /andP[_]; lia.
  rewrite /s1; case: s s0 lst c2 {ord cov cons s1 s2 ord1} => // x s _ lst c2.
  by apply: consecutive_rcons => //; left; move: lst => /= ->.
have [p s12] := expire_suffix W T.+2 s1.
have ord2 : in_order T.+2 s2.
  move: ord1; rewrite /in_order s12 -/s2 all_cat => /andP[so /andP[_ ->]]; rewrite andbT.
  exact: (subseq_sorted ltn_trans (suffix_subseq _ _) so).
have cons2 : consecutive (near row eta floor T.+2) s2 by apply: (@consecutive_suffix _ p); rewrite -s12.
have cov2 : covers W T.+2 s2 by apply: expire_covers.
have sub : subseq (update (close T.+2) s2) s2 by exact: thin_subseq.
split.
- case/andP: ord2 => so rg; apply/andP; split; first exact: (subseq_sorted ltn_trans sub so).
  by apply/allP => t /(mem_subseq sub) /(allP rg).
- by apply: update_covers => //; case/andP: ord2.
- apply: thin_consecutive => // x y /(allP (andP ord2).2) xr /(allP (andP ord2).2) yr c; right.
  exact: close_near c.
- rewrite /update thin_last //.
  have s20 : s2 != [::] by case: s2 cov2 {s12 ord2 cons2 sub}.
  have : last 0%N s1 = T.+2 by rewrite last_rcons.
  by rewrite s12 last_cat -/s2; case: s2 s20 {s12 ord2 cons2 cov2 sub}.
Qed.

End stream.

Section tests.
Variables (R : realFieldType) (d : nat) (row : nat -> 'cV[R]_d) (W : nat) (eta floor : R).
Hypotheses (W0 : (0 < W)%N) (eta0 : 0 < eta) (eta1 : eta < 1) (floor0 : 0 <= floor).
Variable close : nat -> nat -> nat -> bool.
Let K := suffix row floor.

(* sliding-window.lemma-10+repair, the property: the update compares the matrices themselves with factor 1 - eta. *)
Theorem exact_update_keeps_the_property T :
  (forall t s s', reflect (loewner ((1 - eta) *: K t s) (K t s')) (close t s s')) ->
  histogram_property row W eta floor (fun s s' => ~ loewner ((1 - eta) *: K T.+1 s) (K T.+1 s')) T.+1 (stamps W close T.+1).
Proof.
move=> test; have [|a b c e] := @update_keeps_the_property R d row W eta floor W0 eta0 eta1 floor0 close _ T.
  by move=> t s s' _ _ /test.
split=> //; elim: (stamps W close T.+1) e => //= x r IH [xz rest]; split; last exact: IH.
by case: r xz {IH rest} => [|y [|z [|v r]]] // xz /test.
Qed.

(* What the checkpoints of the exact update give at every time. *)
Theorem exact_checkpoints_are_accurate T (t1 := head 0%N (stamps W close T.+1)) :
  (forall t s s', reflect (loewner ((1 - eta) *: K t s) (K t s')) (close t s s')) ->
  loewner ((1 - eta) *: K T.+1 t1) (window row W floor T.+1) /\ loewner (window row W floor T.+1) (K T.+1 t1).
Proof. by move=> test; apply: histogram_is_accurate (exact_update_keeps_the_property T test). Qed.

(* sliding-window.proposition-10, with <= : the factor lost between approximations and matrices. *)
Lemma quarters : 1 - eta <= (1 - eta / 2%:R) * (1 - eta / 4%:R) / (1 + eta / 4%:R).
Proof.
have q0 : 0 < 1 + eta / 4%:R by rewrite addr_gt0 ?divr_gt0 ?ltr0n ?ltr01.
have n2 : (2%:R : R) != 0 by rewrite pnatr_eq0.
have n4 : (4%:R : R) != 0 by rewrite pnatr_eq0.
rewrite ler_pdivl_mulr // -subr_ge0.
have -> : (1 - eta / 2%:R) * (1 - eta / 4%:R) - (1 - eta) * (1 + eta / 4%:R) = eta ^+ 2 * (3%:R / 8%:R).
  by field.
by rewrite mulr_ge0 ?sqr_ge0 ?divr_ge0 ?ler0n.
Qed.

Variable S : nat -> nat -> 'M[R]_d.
Hypothesis within : forall t s, (0 < s <= t)%N ->
  loewner ((1 - eta / 4%:R) *: K t s) (S t s) /\ loewner (S t s) ((1 + eta / 4%:R) *: K t s).
Hypothesis test : forall t s s', reflect (loewner ((1 - eta / 2%:R) *: S t s) (S t s')) (close t s s').

Lemma close_approximations t s s' : (0 < s <= t)%N -> (0 < s' <= t)%N -> close t s s' ->
  loewner ((1 - eta) *: K t s) (K t s').
Proof.
move=> /within [low _] /within [_ up] /test c x.
have q0 : 0 < 1 + eta / 4%:R by rewrite addr_gt0 ?divr_gt0 ?ltr0n ?ltr01.
have h0 : 0 <= 1 - eta / 2%:R.
  by rewrite subr_ge0 ler_pdivr_mulr ?ltr0n // mul1r (le_trans (ltW eta1)) // (ler_nat R 1 2).
rewrite formZ; apply: le_trans (ler_wpmul2r (form_suffix_ge0 _ _ _ _ _) quarters) _ => //.
rewrite mulrAC ler_pdivr_mulr // [X in _ <= X]mulrC -[X in _ <= X]formZ.
apply: le_trans (up x); apply: le_trans (c x); rewrite formZ -mulrA ler_wpmul2l // -formZ; exact: low.
Qed.

(* sliding-window.lemma-1+repair. *)
Theorem approximate_update_keeps_the_property T :
  histogram_property row W eta floor (fun s s' => ~ loewner ((1 - eta / 2%:R) *: S T.+1 s) (S T.+1 s')) T.+1
    (stamps W close T.+1).
Proof.
have [|a b c e] := @update_keeps_the_property R d row W eta floor W0 eta0 eta1 floor0 close _ T.
  exact: close_approximations.
split=> //; elim: (stamps W close T.+1) e => //= x r IH [xz rest]; split; last exact: IH.
by case: r xz {IH rest} => [|y [|z [|v r]]] // xz /test.
Qed.

(* sliding-window.lemma-2, step on-the-event: the approximation of the first checkpoint is the output. *)
Theorem output_is_accurate T (t1 := head 0%N (stamps W close T.+1)) :
  loewner ((1 - eta / 4%:R) *: window row W floor T.+1) (S T.+1 t1)
  /\ loewner (S T.+1 t1) (((1 + eta / 4%:R) / (1 - eta)) *: window row W floor T.+1).
Proof.
have P := approximate_update_keeps_the_property T; have [/andP[_ rng] cov _ _] := P.
have [low up] : loewner ((1 - eta / 4%:R) *: K T.+1 t1) (S T.+1 t1) /\ loewner (S T.+1 t1) ((1 + eta / 4%:R) *: K T.+1 t1).
  apply: within; move: rng cov; rewrite /t1.
  by case: (stamps W close T.+1) => // x r /allP/(_ x (mem_head _ _)).
exact: (approximate_histogram_is_accurate eta0 eta1 floor0 P low up).
Qed.

(* sliding-window.corollary-1, step factor, and its repair. *)
Lemma quarter_factor : eta <= 3%:R / 8%:R -> (1 + eta / 4%:R) / (1 - eta) <= 1 + 2%:R * eta.
Proof.
move=> small; have e1 : 0 < 1 - eta by rewrite subr_gt0.
have n4 : (4%:R : R) != 0 by rewrite pnatr_eq0.
rewrite ler_pdivr_mulr // -subr_ge0.
have -> : (1 + 2%:R * eta) * (1 - eta) - (1 + eta / 4%:R) = 2%:R * eta * (3%:R / 8%:R - eta) by field.
by rewrite mulr_ge0 ?subr_ge0 // mulr_ge0 ?ler0n ?ltW.
Qed.

Theorem output_within_one_plus_two_eta T (t1 := head 0%N (stamps W close T.+1)) : eta <= 3%:R / 8%:R ->
  loewner ((1 - eta) *: window row W floor T.+1) (S T.+1 t1)
  /\ loewner (S T.+1 t1) ((1 + 2%:R * eta) *: window row W floor T.+1).
Proof.
move=> small; have [low up] := output_is_accurate T; have K0 x := @form_suffix_ge0 R d row floor floor0 T.+1 (start W T.+1) x.
split=> x; [apply: le_trans (low x) | apply: le_trans (up x) _]; rewrite !formZ.
  rewrite ler_wpmul2r // ler_add2l ler_opp2 ler_pdivr_mulr ?ltr0n //.
  by rewrite ler_pmulr // (ler_nat R 1 4).
by rewrite ler_wpmul2r ?quarter_factor.
Qed.

End tests.
