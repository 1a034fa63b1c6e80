(* Orthogonal projectors of every size: traces, distances, and how much of a symmetric matrix they capture. The
   projector onto the first k eigenvectors captures most, and every other one less, by the eigengap. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From mathcomp.zify Require Import zify.
From DPMatrix.matrices Require Import inner_products spectral_theorem eigenvalues spectral_norms.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

(* The projector onto the first k columns of Q. *)
Definition top_projector (R : realFieldType) d (Q : 'M[R]_d) k : 'M[R]_d := \sum_(i < d | (i < k)%N) outer (col i Q).

Section projectors.
Variable R : realFieldType.
Variable d : nat.
Implicit Types (A B P Q : 'M[R]_d) (l : 'rV[R]_d) (x v : 'cV[R]_d) (k : nat).

Lemma dot_col Q i j : frame Q -> dot (col i Q) (col j Q) = (i == j)%:R.
Proof.
move=> /matrixP/(_ i j); rewrite !mxE mulrb => <-.
by apply: eq_bigr => h _; rewrite !mxE.
Qed.

Lemma form_sum I (r : seq I) (p : pred I) (F : I -> 'M[R]_d) x :
  form (\sum_(i <- r | p i) F i) x = \sum_(i <- r | p i) form (F i) x.
Proof. by apply: (big_morph (fun A => form A x)) => [A B|]; rewrite ?formD // /form mul0mx dot0r. Qed.

Lemma top_projector_mul Q k i :
  frame Q -> top_projector Q k *m col i Q = (i < k)%:R *: col i Q.
Proof.
move=> QQ; rewrite /top_projector mulmx_suml; case ik: (i < k)%N; last first.
  rewrite scale0r big1 // => j jk; rewrite outer_mul dot_col //.
  by case: eqVneq => [ji|]; [move: ik jk; rewrite ji => ->|rewrite scale0r].
rewrite (bigD1 i) //= outer_mul dot_col // eqxx big1 ?addr0 // => j /andP[jk ji].
by rewrite outer_mul dot_col // (negPf ji) scale0r.
Qed.

Lemma same_on_basis Q A B : frame Q -> (forall i, A *m col i Q = B *m col i Q) -> A = B.
Proof.
move=> QQ AB; rewrite -[A]mulmx1 -[B]mulmx1 -(frame_right QQ) !mulmxA; congr (_ *m _).
by apply/matrixP => i j; move/colP/(_ i): (AB j); rewrite colE !mulmxA -!colE !mxE.
Qed.

Lemma projector_top Q k : frame Q -> projector (top_projector Q k).
Proof.
move=> QQ; split.
  by rewrite /symmetric /top_projector linear_sum; apply: eq_bigr => i _; exact: outer_sym.
apply: (same_on_basis QQ) => i; rewrite -mulmxA !top_projector_mul // -scalemxAr top_projector_mul // scalerA.
by case: (i < k)%N; rewrite ?mulr1 ?mulr0.
Qed.

Lemma card_below k : (k <= d)%N -> \sum_(i < d | (i < k)%N) 1%:R = k%:R :> R.
Proof. by move=> kd; rewrite (big_ord_narrow kd) sumr_const card_ord. Qed.

Lemma trace_top Q k : frame Q -> (k <= d)%N -> \tr (top_projector Q k) = k%:R.
Proof.
move=> QQ kd; rewrite /top_projector linear_sum -(card_below kd) /=; apply: eq_bigr => i _.
by rewrite trace_outer norm2_col.
Qed.

Lemma form_projector P x : projector P -> form P x = norm2 (P *m x).
Proof. by move=> [symP PP]; rewrite -{1}PP -{1}symP form_gram. Qed.

Lemma projector_complement P : projector P -> projector (1%:M - P).
Proof.
move=> [symP PP]; split; first by rewrite /symmetric linearB /= trmx1 symP.
by rewrite mulmxBl mul1mx mulmxBr mulmx1 PP subrr subr0.
Qed.

Lemma form_projector_ge0 P x : projector P -> 0 <= form P x.
Proof. by move=> /form_projector ->; exact: norm2_ge0. Qed.

(* Bessel's inequality. *)
Lemma form_projector_le P x : projector P -> form P x <= norm2 x.
Proof.
move=> /projector_complement pP; rewrite -subr_ge0.
have -> : norm2 x - form P x = form (1%:M - P) x by rewrite formB form_scalar mul1r.
exact: form_projector_ge0.
Qed.

Lemma trace_frame Q B : frame Q -> \tr B = \sum_i form B (col i Q).
Proof.
move=> QQ; rewrite -[B in LHS]mul1mx -(frame_right QQ) -{1}[Q]mulmx1.
have -> : 1%:M = diag_mx (const_mx 1) :> 'M[R]_d by rewrite diag_const_mx.
by rewrite trace_diag_frame; apply: eq_bigr => i _; rewrite mxE mul1r.
Qed.

Lemma trace_spectrum Q l A B : spectrum Q l A -> \tr (A *m B) = \sum_i l 0 i * form B (col i Q).
Proof. by move=> [_ -> _]; exact: trace_diag_frame. Qed.

Lemma trace_top_mul Q k B : \tr (top_projector Q k *m B) = \sum_(i < d | (i < k)%N) form B (col i Q).
Proof.
rewrite /top_projector mulmx_suml linear_sum /=; apply: eq_bigr => i _.
by rewrite mxtrace_mulC form_trace.
Qed.

Lemma trace_top_spectrum Q l A k : spectrum Q l A -> \tr (A *m top_projector Q k) = \sum_(i < d | (i < k)%N) l 0 i.
Proof.
move=> S; rewrite mxtrace_mulC trace_top_mul; apply: eq_bigr => i _.
exact: form_eigenvector.
Qed.

Lemma frobenius2_projectors P B :
  projector P -> projector B -> frobenius2 (P - B) = \tr P + \tr B - \tr (P *m B) *+ 2.
Proof.
move=> [symP PP] [symB BB]; rewrite frobenius2E [(P - B)^T]linearB /= symP symB mulmxBl !mulmxBr PP BB !linearB /=.
by rewrite (mxtrace_mulC B P); ring.
Qed.

(* Weights in [0, 1] of sum k. *)
Lemma weighted_sum l (w : 'I_d -> R) k (a b : R) :
  (k <= d)%N -> (forall i, 0 <= w i <= 1) -> \sum_i w i = k%:R ->
  (forall i : 'I_d, (i < k)%N -> a <= l 0 i) -> (forall i : 'I_d, (k <= i)%N -> l 0 i <= b) ->
  (a - b) * (k%:R - \sum_(i < d | (i < k)%N) w i) <= \sum_(i < d | (i < k)%N) l 0 i - \sum_i l 0 i * w i.
Proof.
move=> kd w01 sw la lb; rewrite (bigID (fun i : 'I_d => (i < k)%N) _ (fun i => l 0 i * w i)) /= opprD addrA -sumrB.
have rest : \sum_(i < d | ~~ (i < k)%N) w i = k%:R - \sum_(i < d | (i < k)%N) w i.
  by rewrite -sw [\sum_i w i](bigID (fun i : 'I_d => (i < k)%N)) /= addrAC subrr add0r.
rewrite mulrBl ler_add //.
  rewrite -(card_below kd) -sumrB mulr_sumr; apply: ler_sum => i ik.
  rewrite -{1}[l 0 i]mulr1 -mulrBr ler_wpmul2r ?la // subr_ge0; by case/andP: (w01 i).
rewrite -rest mulr_sumr ler_opp2; apply: ler_sum => i; rewrite -leqNgt => ki.
by rewrite ler_wpmul2r ?lb //; case/andP: (w01 i).
Qed.

(* Ky Fan: no projector of rank k captures more than the first k eigenvectors. *)
Theorem captured_most Q l A P k :
  spectrum Q l A -> projector P -> \tr P = k%:R -> (k <= d)%N -> \tr (A *m P) <= \sum_(i < d | (i < k)%N) l 0 i.
Proof.
move=> S pP trP kd; have [QQ _ dl] := S.
have w01 i : 0 <= form P (col i Q) <= 1.
  by rewrite form_projector_ge0 //= (le_trans (form_projector_le _ pP)) ?norm2_col.
have sw : \sum_i form P (col i Q) = k%:R by rewrite -trace_frame.
have [c [ca cb]] : exists c, (forall i : 'I_d, (i < k)%N -> c <= l 0 i) /\ (forall i : 'I_d, (k <= i)%N -> l 0 i <= c).
  have [kd'|] := ltnP k d; first by exists (l 0 (Ordinal kd')); split=> i ik; apply: dl => //=; exact: ltnW.
  case: (posnP d) => [d0 _|d0 dk]; first by exists 0; split=> i; have := ltn_ord i; rewrite {2}d0.
  have d1 : (d.-1 < d)%N by rewrite prednK.
  exists (l 0 (Ordinal d1)); split=> i ik; first by apply: dl => /=; rewrite -ltnS prednK.
  by have := leq_trans (ltn_ord i) (leq_trans dk ik); rewrite ltnn.
have := weighted_sum kd w01 sw ca cb.
by rewrite subrr mul0r subr_ge0 (trace_spectrum _ S).
Qed.

(* Every other projector captures less, by the gap times half of its squared distance. *)
Theorem captured_less Q l A P (i j : 'I_d) :
  spectrum Q l A -> projector P -> i.+1 = j -> \tr P = j%:R ->
  (l 0 i - l 0 j) / 2%:R * frobenius2 (top_projector Q j - P) <= \tr (A *m (top_projector Q j - P)).
Proof.
move=> S pP ij trP; have [QQ _ dl] := S; have jd : (j <= d)%N by exact: ltnW.
have w01 h : 0 <= form P (col h Q) <= 1.
  by rewrite form_projector_ge0 //= (le_trans (form_projector_le _ pP)) ?norm2_col.
have sw : \sum_h form P (col h Q) = j%:R by rewrite -trace_frame.
have la (h : 'I_d) : (h < j)%N -> l 0 i <= l 0 h by rewrite -ij ltnS => /dl.
have lb (h : 'I_d) : (j <= h)%N -> l 0 h <= l 0 j by move=> /dl.
have := weighted_sum jd w01 sw la lb.
rewrite mulmxBr linearB /= (trace_top_spectrum _ S) (trace_spectrum P S); apply: le_trans.
rewrite (frobenius2_projectors (projector_top j QQ) pP) (trace_top QQ jd) trP trace_top_mul.
have -> : j%:R + j%:R - (\sum_(h < d | (h < j)%N) form P (col h Q)) *+ 2
        = 2%:R * (j%:R - \sum_(h < d | (h < j)%N) form P (col h Q)) by ring.
by rewrite mulrA divfK ?pnatr_eq0.
Qed.

End projectors.
