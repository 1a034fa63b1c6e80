(* Corollary 3.7 of the compression document, from the law of the compressed data: two equal columns stay equal, after
   one changed sign they never are, so that no alpha is possible, not even after truncation of the outputs. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import signed reals ereal topology normedtype sequences esum measure.
From mathcomp Require Import lebesgue_measure numfun lebesgue_integral exp.
Import GRing.Theory Num.Theory Order.TTheory.
From DPMatrix Require Import laws.differential_privacy laws.random_matrices.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section compression.
Variables (R : realType) (dW : measure_display) (W : measurableType dW) (P : {measure set W -> \bar R}).
Hypothesis P1 : P setT = 1%E.
Variables (m n p : nat) (Phi : W -> 'M[R]_(m, n)).
Hypothesis mPhi : forall i j, measurable_fun setT (fun w => Phi w i j).

(* Example 3.6: every entry is a sign, and fewer than p signs of one row are changed *)
Definition signs (X : 'M[R]_(n, p)) : Prop := forall i j, X i j = 1 \/ X i j = -1.
Definition neighbouring_signs (X Y : 'M[R]_(n, p)) : Prop :=
  [/\ signs X, signs Y & exists i, (forall k, k != i -> row k X = row k Y) /\ exists j, X i j = Y i j].

Definition compressed (X : 'M[R]_(n, p)) : W -> matrix_output R m p := fun w => Phi w *m X.

(* the law of Phi X, given that it lies in the set of outputs that are kept for X *)
Definition truncated_law (kept : 'M[R]_(n, p) -> set (matrix_output R m p)) X (S : set (matrix_output R m p)) : \bar R :=
  ((fine (P (compressed X @^-1` kept X)))^-1%:E * P (compressed X @^-1` (S `&` kept X)))%E.

Definition columns_agree (a b : 'I_p) : set (matrix_output R m p) := [set C | col a (C : 'M[R]_(m, p)) = col b C].

Lemma columns_agree_measurable a b : measurable (columns_agree a b).
Proof.
have mc c i j : measurable_fun setT (fun C : matrix_output R m p => (col c (C : 'M[R]_(m, p))) i j).
  rewrite (_ : (fun _ => _) = (fun C : matrix_output R m p => (C : 'M[R]_(m, p)) i c)); first exact: entry_measurable.
  by apply/funext => C; rewrite mxE.
exact: agree_measurable.
Qed.

Variable kept : 'M[R]_(n, p) -> set (matrix_output R m p).
Hypothesis kept_often : forall X, (0 < P (compressed X @^-1` kept X))%E.

Lemma compressed_measurable X : measurable_fun setT (compressed X).
Proof.
apply: matrix_measurable => i j; rewrite (_ : (fun _ => _) = (fun w => \sum_k Phi w i k * X k j)).
  apply: measurable_real_sum => k; rewrite (_ : (fun _ => _) = (fun w => X k j * Phi w i k)); first exact: measurable_funrM.
  by apply/funext => w; rewrite mulrC.
by apply/funext => w; rewrite mxE.
Qed.

Lemma kept_finite X : measurable (kept X) -> P (compressed X @^-1` kept X) \is a fin_num.
Proof.
move=> mK; rewrite ge0_fin_numE; last exact: measure_ge0.
apply: (@le_lt_trans _ _ 1%E); last by rewrite ltry.
by rewrite -P1; apply: le_measure; rewrite ?inE //; rewrite -[X in measurable X]setTI; exact: compressed_measurable.
Qed.

Lemma equal_columns_stay (X : 'M[R]_(n, p)) a b : measurable (kept X) -> col a X = col b X ->
  truncated_law kept X (columns_agree a b) = 1%E.
Proof.
move=> mK ab; rewrite /truncated_law (_ : _ @^-1` (_ `&` _) = compressed X @^-1` kept X); last first.
  apply/seteqP; split=> [w []|w Kw] //; split=> //; rewrite /columns_agree /= /compressed.
  by rewrite !colE -!mulmxA -!colE ab.
rewrite -[X in (_ * X)%E]fineK ?kept_finite // -EFinM mulVf // gt_eqF //.
by rewrite fine_gt0 // kept_often /= ltey_eq kept_finite.
Qed.

Lemma different_columns_part (Y : 'M[R]_(n, p)) a b i l : (forall k, k != i -> Y k a = Y k b) -> Y i a != Y i b ->
  P [set w | Phi w l i = 0] = 0%E -> measurable (kept Y) -> truncated_law kept Y (columns_agree a b) = 0%E.
Proof.
move=> same differ null mK; rewrite /truncated_law [X in (_ * X)%E](_ : _ = 0%E) ?mule0 //; apply/eqP.
rewrite -measure_le0 -[X in (_ <= X)%E]null; apply: le_measure; rewrite ?inE.
- rewrite -[X in measurable X]setTI; apply: compressed_measurable => //; apply: measurableI => //.
  exact: columns_agree_measurable.
- rewrite -[X in measurable X]setTI; have := mPhi l i measurableT (@measurable_set1 R 0).
  by rewrite (_ : _ @^-1` _ = [set w | Phi w l i = 0]) //; apply/seteqP; split.
move=> w [/matrixP/(_ l 0)]; rewrite !mxE => /eqP; rewrite -subr_eq0 -sumrB (bigD1 i) //= big1 => [|k ki].
  by rewrite addr0 -mulrBr mulf_eq0 subr_eq0 (negbTE differ) orbF => /eqP.
by rewrite same // subrr.
Qed.

(* X has two equal columns, Y is X with one sign changed: n >= 1 records, p >= 2 columns, m >= 1 rows of the output *)
Lemma one_changed_sign_is_revealed (a b : 'I_p) (i : 'I_n) (l : 'I_m) (eps delta : R) :
  a != b -> delta < 1 -> (forall X, measurable (kept X)) -> P [set w | Phi w l i = 0] = 0%E ->
  exists X Y, [/\ neighbouring_signs X Y, truncated_law kept X (columns_agree a b) = 1%E,
    truncated_law kept Y (columns_agree a b) = 0%E &
    ~ differentially_private neighbouring_signs eps delta (truncated_law kept)].
Proof.
move=> ab d1 mK null; pose X : 'M[R]_(n, p) := const_mx 1.
pose Y : 'M[R]_(n, p) := \matrix_(k, j) (if (k == i) && (j == b) then -1 else 1).
have onX : truncated_law kept X (columns_agree a b) = 1%E.
  by apply: equal_columns_stay => //; apply/matrixP => k j; rewrite !mxE.
have onY : truncated_law kept Y (columns_agree a b) = 0%E.
  apply: (different_columns_part (i := i) (l := l)) => // [k ki|]; first by rewrite !mxE (negbTE ki).
  by rewrite !mxE !eqxx (negbTE ab) /= -subr_eq0 opprK (_ : 1 + 1 = 2%:R) // pnatr_eq0.
have nb : neighbouring_signs X Y.
  split=> [k j|k j|]; [by left; rewrite mxE | by rewrite mxE; case: ifP => _; [right | left] |].
  exists i; split=> [k ki|]; first by apply/matrixP => x j; rewrite !mxE (negbTE ki).
  by exists a; rewrite !mxE eqxx (negbTE ab).
exists X, Y; split=> // /(_ _ _ nb); apply: (event_refutes (columns_agree_measurable a b) onY).
by rewrite [X in (_ < X)%E]onX lte_fin.
Qed.
End compression.
